"""Documents as Markdown can say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean
from runtime.services.markdown.nodes import Node


def normal(document: Node) -> Node:
    """Return a document as `document_of(markdown_of(document))` does; only what Markdown has no words for is another.

    - texts side by side are one text, leaves with equal marks one leaf, and an empty leaf none;
    - control characters and halves of characters are left out, and a line ends with a line feed;
    - what is not said of a picture (`alt`, `caption`) is left out;
    - columns, records and text cells of tables have the names of where they stand.

    It is for documents that are otherwise as the published schemas want them: lists have items, items have blocks,
    tables have columns, no link runs anything, and nothing is nested deeper than `LEVELS`.
    """
    return {**document, "nodes": [_node(node) for node in document["nodes"]]}


def _node(node: Node) -> Node:
    result = {name: value for name, value in node.items() if name != "key"}
    if node.get("data") and node.get("type") != "integration":
        data = _cleaned(node["data"])
        result["data"] = {name: value for name, value in data.items() if value != "" or name not in ("alt", "caption")}
    if "nodes" in node:
        result["nodes"] = _merged(node["nodes"])
        if not result["nodes"] and node["nodes"] and node["object"] != "inline":
            result["nodes"] = [make.text("")]
    if "fragments" in node:
        result["fragments"] = [_node(one) for one in node["fragments"]]
    return _table(result) if node.get("type") == "table" else result


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cleaned(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return clean(value) if isinstance(value, str) else value


def _merged(nodes: Sequence[Node]) -> list[Node]:
    merged: list[Node] = []
    for node in nodes:
        if node["object"] != "text":
            merged.append(_node(node))
            continue
        for leaf in node["leaves"]:
            make.append(merged, clean(leaf["text"]), leaf["marks"])
    return merged


def _table(node: Node) -> Node:
    data = node["data"]
    view = dict(data["view"])
    order = [*view["columns"], *(name for name in data["definition"] if name not in view["columns"])]
    names = {name: f"c{place}" for place, name in enumerate(order)}
    definition = {names[name]: {**data["definition"][name], "id": names[name]} for name in order}
    texts = {one["fragment"]: one["nodes"] for one in node["fragments"]}
    view["columns"] = [names[name] for name in view["columns"]]
    for field in ("targetDefinition", "coverDefinition", "coverDefinitionDark"):
        if field in view:
            view[field] = names[view[field]]
    if "columnWidths" in view:
        view["columnWidths"] = {names[name]: width for name, width in view["columnWidths"].items()}
    records: Node = {}
    fragments: list[Node] = []
    for place, record in enumerate(sorted(data["records"].values(), key=lambda record: str(record["orderIndex"]))):
        values = {names[name]: record["values"][name] for name in order if name in record["values"]}
        for name, value in values.items():
            if definition[name]["type"] == "text":
                held = texts.get(value) or [make.paragraph([make.text(value)])]
                values[name] = f"r{place}-{name}"
                fragments.append({"object": "fragment", "fragment": values[name], "nodes": held})
        records[f"r{place}"] = {"orderIndex": f"{place:06d}", "values": values}
    data = {**data, "view": view, "records": records, "definition": definition}
    return {**node, "data": data, "fragments": fragments}
