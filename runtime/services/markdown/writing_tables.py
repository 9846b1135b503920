"""Converts table blocks to Markdown tables, or to HTML where Markdown cannot express them."""

from __future__ import annotations

import json
from typing import Any

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import write_attributes
from runtime.services.markdown.escaping import raw_in_html
from runtime.services.markdown.fitting import fit
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_tables import TARGETS, options_of
from runtime.services.markdown.writing_inline import InlineWriter

DELIMITERS = {"left": "---", "center": ":---:", "right": "---:"}


def written_table(node: Node, inlines: InlineWriter) -> str:
    """Write a table, with columns and records in order, without their names."""
    data = node["data"]
    view, definition = data["view"], data["definition"]
    columns = list(dict.fromkeys(name for name in view["columns"] if name in definition))
    shown = frozenset(columns)
    columns += [name for name in definition if name not in shown]
    if not columns:
        return ""
    records = sorted(data["records"].values(), key=lambda record: str(record["orderIndex"]))
    texts = {one.get("fragment"): one["nodes"] for one in node.get("fragments", ())}
    rows = [[_value(record["values"].get(name), definition[name], texts) for name in columns] for record in records]
    heads = [definition[name] for name in columns]
    if not data.get("fullWidth") and _is_plain(view, heads, rows):
        return _markdown(heads, rows, inlines)
    return _html(data, columns, rows, inlines)


def _value(value: Any, column: Node, texts: dict[Any, list[Node]]) -> Any:
    """Return a cell's content: blocks for a text column, else the value."""
    if column["type"] != "text" or not isinstance(value, str):
        return value
    # A text is one cell's: in every cell that names it, a large one would be written thousands of times.
    nodes = texts.get(value)
    if nodes is not None:
        texts[value] = []
    else:
        nodes = [make.paragraph([make.text(value)])]
    return fit(nodes, "paragraphs")


def _is_plain(view: Node, heads: list[Node], rows: list[list[Any]]) -> bool:
    if view["type"] != "grid" or view.get("hideHeader") or view.get("columnWidths") or view.get("useNewSizing"):
        return False
    if any(column["type"] != "text" or column.get("verticalAlignment") for column in heads):
        return False
    if len(view["columns"]) != len(heads):
        return False
    for row in rows:
        for cell in row:
            if cell is not None and not (isinstance(cell, list) and len(cell) == 1 and _is_inline(cell[0])):
                return False
    return True


def _is_inline(node: Any) -> bool:
    return isinstance(node, dict) and not node.get("data", {}).get("align")


def _markdown(heads: list[Node], rows: list[list[Any]], inlines: InlineWriter) -> str:
    titles = [inlines.markdown([make.text(column["title"])]) for column in heads]
    aligned = [DELIMITERS.get(column.get("textAlignment", "left"), "---") for column in heads]
    lines = [titles, aligned]
    lines += [["" if cell is None else inlines.markdown(cell[0]["nodes"]) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _html(data: Node, columns: list[str], rows: list[list[Any]], inlines: InlineWriter) -> str:
    view, definition = data["view"], data["definition"]
    cards = view["type"] == "cards"
    attributes: dict[str, Any] = {"data-full-width": data.get("fullWidth") and "true"}
    if cards:
        attributes |= {"data-view": "cards", "data-card-size": "large" if view.get("cardSize") == "large" else None}
        attributes["data-hide-column-title"] = view.get("hideColumnTitle") and "true"
    else:
        attributes["data-header-hidden"] = view.get("hideHeader") and "true"
        attributes["data-new-sizing"] = view.get("useNewSizing") and "true"
    shown = frozenset(view["columns"])
    heads = [_head(name, view, shown, definition[name], cards, inlines) for name in columns]
    body = "".join(
        "<tr>"
        + "".join(_cell(cell, definition[name], inlines) for name, cell in zip(columns, row, strict=True))
        + "</tr>"
        for row in rows
    )
    start = f"<table{write_attributes(attributes)}><thead><tr>{''.join(heads)}</tr></thead>"
    return f"{start}<tbody>{body}</tbody></table>"


def _head(name: str, view: Node, shown: frozenset[str], column: Node, cards: bool, inlines: InlineWriter) -> str:
    attributes: dict[str, Any] = {}
    if not cards and isinstance(view.get("columnWidths", {}).get(name), int | float):
        attributes["width"] = view["columnWidths"][name]
    if name not in shown:
        attributes["data-hidden"] = True
    if cards:
        attributes |= {target: True for target, field in TARGETS.items() if view.get(field) == name}
    if column["type"] == "text":
        align = column.get("textAlignment", "left")
        attributes |= {"align": align if align != "left" else None, "valign": column.get("verticalAlignment")}
    else:
        attributes |= {"data-type": column["type"], "data-multiple": bool(column.get("multiple"))}
        attributes |= {"data-max": column.get("max"), "data-options": options_of(column)}
    return f"<th{write_attributes(attributes)}>{inlines.html([make.text(column['title'])])}</th>"


def _cell(value: Any, column: Node, inlines: InlineWriter) -> str:
    kind = column["type"]
    if value is None:
        return "<td></td>"
    if kind == "text" and isinstance(value, list) and all(isinstance(one, dict) for one in value):
        texts = [inlines.html(one["nodes"]) for one in value]
        return f"<td>{texts[0] if len(texts) == 1 else ''.join(f'<p>{text}</p>' for text in texts)}</td>"
    if kind in ("number", "rating", "checkbox") and (isinstance(value, bool) == (kind == "checkbox")):
        if isinstance(value, bool | int | float):
            return f"<td>{json.dumps(value)}</td>"
    elif kind == "select" and value and _are_texts(value):
        spans = (f"<span{write_attributes({'data-option': one})}>{raw_in_html(one)}</span>" for one in value)
        return f"<td>{', '.join(spans)}</td>"
    elif kind in ("users", "files") and value and _are_texts(value):
        return _links([{"kind": kind[:-1], kind[:-1]: one} for one in value], {}, inlines)
    elif isinstance(value, dict) and kind in ("content-ref", "image"):
        framed = value.get("ref") if kind == "image" and "kind" not in value else None
        more = {"data-framed": "true", "data-object-fit": value.get("objectFit")} if framed else {}
        return _links([framed or value], more, inlines)
    if isinstance(value, dict) or (isinstance(value, list) and not _are_texts(value)):
        return "<td></td>"
    return f"<td{write_attributes({'data-value': json.dumps(value, ensure_ascii=False)})}></td>"


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _links(refs: list[Node], more: dict[str, Any], inlines: InlineWriter) -> str:
    targets = [target for ref in refs if (target := inlines.target(ref)) is not None]
    links = (f"<a{write_attributes({'href': target, **more})}>{raw_in_html(target)}</a>" for target in targets)
    return f"<td>{', '.join(links)}</td>"
