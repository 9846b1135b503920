"""Writes blocks in the platform's own syntax: `{% name attributes %}`, and `<details>`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Protocol

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import attribute, clean, write_attributes, write_length
from runtime.services.markdown.links import is_safe
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_tags import OWN
from runtime.services.markdown.writing_inline import InlineWriter

PROPERTY = re.compile(r"[A-Za-z_][\w.\-]*", re.ASCII)
SIMPLE_EXPRESSION = re.compile(r"[^\s%{}](?:[^%{}\n]*[^\s%{}\-])?")
ITEMS = {"tabs": "tab", "stepper": "step", "columns": "column"}
POINTERS = {"openapi-operation": ("path", "method"), "openapi-webhook": ("name", "method"), "openapi-schemas": ()}


class WriteBlocks(Protocol):
    def __call__(self, nodes: Sequence[Node], deeper: int = 1) -> str:
        """Write blocks, nested this many levels deeper."""


def written_tag(node: Node, inlines: InlineWriter, blocks: WriteBlocks) -> str:
    """Write a block; "" if its target is unsafe or the platform has no syntax for it."""
    kind, data = node["type"], node.get("data", {})
    meta = node.get("meta", {})
    if kind == "hint":
        return _around("hint", {"style": data.get("style", "info")}, blocks(node["nodes"]))
    if kind in ITEMS:
        parts = [_item(ITEMS[kind], part, blocks) for part in node["nodes"]]
        return _around(kind, _flags(data, "fullWidth"), "\n\n".join(parts))
    if kind == "expandable":
        return _details(node, meta, inlines, blocks)
    if kind == "if":
        return _around("if", {}, blocks(node["nodes"]), _expression(str(data["expression"])))
    if kind == "embed":
        if not is_safe({"kind": "url", "url": data.get("url")}):
            return ""
        return _captioned("embed", {"url": data["url"], **_flags(data, "fullWidth")}, node, blocks)
    if kind == "drawing" and not data.get("ref"):
        return "{% drawing %}"
    if kind in POINTERS:
        ref = data.get("ref", {})
        values = {"spec": ref.get("spec"), **{field: str(data.get(field, "")) for field in POINTERS[kind]}}
        return _around(
            kind, {**values, **(_schemas(data) if kind == "openapi-schemas" else {}), "id": meta.get("id")}, ""
        )
    if kind == "integration":
        return _integration(data)
    target = inlines.target(data.get("ref"))
    if target is None:
        return ""
    if kind == "content-ref":
        return _around(kind, {"url": target}, _link(data["ref"], target, inlines))
    if kind == "drawing":
        return _alone(kind, {"src": target})
    if kind == "file":
        return _captioned("file", {"src": target}, node, blocks)
    if kind == "reusable-content":
        return f'{{% include "{attribute(target)}"{write_attributes({"token": meta.get("token")})} %}}'
    if kind == "swagger":
        values = {"src": target, "path": str(data.get("path", "")), "method": str(data.get("method", ""))}
        attributes = {**values, **_flags(data, "expanded", "fullWidth"), "id": meta.get("id")}
        return _around(kind, attributes, _link(data["ref"], target, inlines))
    return ""


def _alone(name: str, attributes: dict[str, Any]) -> str:
    return f"{{% {name}{write_attributes(attributes)} %}}"


def _link(ref: Any, target: str, inlines: InlineWriter) -> str:
    """Write a link as a fallback for other tools, as the platform does in repositories."""
    return inlines.markdown([make.inline("link", {"ref": ref}, [make.text(target)])])


def _around(name: str, attributes: dict[str, Any], inner: str, more: str = "") -> str:
    start = f"{{% {name}{more}{write_attributes(attributes)} %}}\n"
    return f"{start}{inner}\n{{% end{name} %}}" if inner else f"{start}{{% end{name} %}}"


def _captioned(name: str, attributes: dict[str, Any], node: Node, blocks: WriteBlocks) -> str:
    nodes = [inner for one in node.get("fragments", ()) for inner in one["nodes"]]
    return _around(name, attributes, blocks(nodes)) if nodes else _alone(name, attributes)


def _item(name: str, node: Node, blocks: WriteBlocks) -> str:
    data = node.get("data", {})
    attributes: dict[str, Any] = {key: data[key] for key in ("title", "icon") if key in data}
    if "width" in data:
        attributes["width"] = write_length(data["width"])
    if data.get("verticalAlignment"):
        attributes["valign"] = data["verticalAlignment"]
    if node.get("meta", {}).get("id"):
        attributes["id"] = node["meta"]["id"]
    return _around(name, attributes, blocks(node["nodes"], 2))


def _details(node: Node, meta: Node, inlines: InlineWriter, blocks: WriteBlocks) -> str:
    title, body = "", ""
    for one in node.get("fragments", ()):
        kind = one.get("fragment") or one.get("type")
        if kind == "expandable-title" and one["nodes"]:
            title = inlines.html(one["nodes"][0].get("nodes", ()))
        elif kind == "expandable-body":
            body = blocks(one["nodes"])
    start = f"<details{write_attributes({'id': meta.get('id')})}>\n\n<summary>{title}</summary>\n\n"
    return f"{start}{body}\n\n</details>"


def _expression(text: str) -> str:
    plain = SIMPLE_EXPRESSION.fullmatch(text) and not text.startswith("expression=") and clean(text) == text
    return f" {text}" if plain else f' expression="{attribute(text)}"'


def _schemas(data: Node) -> dict[str, Any]:
    names = data.get("schemas", [])
    plain = all(name and name == name.strip() and "," not in name for name in names)
    said = {"schemas": ",".join(names)} if plain else {"schemas:json": names}
    return {**said, **_flags(data, "grouped")}


def _flags(data: Node, *names: str) -> dict[str, str]:
    return {name: str(bool(data[name])).lower() for name in names if name in data}


def _integration(data: Node) -> str:
    url = data.get("url")
    if url is not None and not is_safe({"kind": "url", "url": url}):
        return ""
    attributes: dict[str, Any] = {}
    odd: Node = {}
    for key, value in data.get("props", {}).items():
        if not PROPERTY.fullmatch(key) or key in OWN:
            odd[key] = value
        elif isinstance(value, str) and clean(value) == value:
            attributes[key] = value
        else:
            attributes[f"{key}:json"] = _Json(value)
    if odd:
        attributes["props:json"] = _Json(odd)
    attributes["data-url"] = url
    if data.get("action") is not None:
        attributes["data-action:json"] = _Json(data["action"])
    if "fullWidth" in data:
        attributes["data-full-width"] = str(bool(data["fullWidth"])).lower()
    said = {key: value.written if isinstance(value, _Json) else value for key, value in attributes.items()}
    return _alone(f"@{data['integration']}/{data['block']}", said)


class _Json:
    """A value that is always written as ASCII JSON."""

    def __init__(self, value: Any) -> None:
        self.written = json.dumps(value)
