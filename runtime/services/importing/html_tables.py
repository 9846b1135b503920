"""Writes tables of HTML the way the platform does: cells hold text, links, pictures and paragraphs."""

from __future__ import annotations

import html
import re
from typing import Any

from bs4.element import Tag

from runtime.services.importing.foreign_html import CHECKED, UNCHECKED, child_nodes
from runtime.services.markdown.attributes import write_attributes
from runtime.services.markdown.links import is_safe

MARKS = {"b": "strong", "i": "em", "del": "s", "strike": "s", "tt": "code", "samp": "code"}
MARKS |= {name: name for name in ("strong", "em", "s", "code", "kbd", "sup", "sub")}
PARAGRAPHS = frozenset(
    ("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "hint", "dd", "dt", "figure", "details")
)
LISTS = frozenset(("ul", "ol", "li"))
SIDES = re.compile(r"text-align:\s*(left|center|right)")
WRITTEN = str.maketrans({CHECKED: "[x] ", UNCHECKED: "[ ] "})


def table_of(element: Any) -> str:
    """Write a table in one line; "" for one without cells."""
    rows = [row for row in element.find_all("tr") if row.find_parent("table") is element]
    caption = element.find("caption", recursive=False)
    written: list[str] = []
    head = ""
    for place, row in enumerate(rows):
        cells = list(row.find_all(("td", "th"), recursive=False))
        if not cells:
            continue
        in_head = row.parent is not None and row.parent.name == "thead"
        text = "".join(_cell(cell) for cell in cells)
        if not place and (in_head or all(cell.name == "th" for cell in cells)):
            head = f"<thead><tr>{text}</tr></thead>"
        else:
            written.append(f"<tr>{text}</tr>")
    if not head and not written:
        return ""
    above = f"<p>{inner_of(caption)}</p>\n\n" if caption is not None and caption.get_text(strip=True) else ""
    return f"{above}<table>{head}<tbody>{''.join(written)}</tbody></table>"


def _cell(cell: Any) -> str:
    spans = {name: str(cell.get(name)) for name in ("colspan", "rowspan") if str(cell.get(name) or "").isdigit()}
    side = cell.get("align") or (SIDES.search(str(cell.get("style") or "")) or [None, None])[1]
    align = side if cell.name == "th" and side in ("center", "right") else None
    return f"<{cell.name}{write_attributes({**spans, 'align': align})}>{inner_of(cell)}</{cell.name}>"


def inner_of(element: Any) -> str:
    """Write the content of an element as HTML that a cell may hold, in one line."""
    parts = [_written(child) for child in child_nodes(element)]
    return re.sub(r"[ \t\r\n]+", " ", "".join(parts)).strip()


def _written(node: Any) -> str:
    if not isinstance(node, Tag):
        return html.escape(str(node), quote=False).translate(WRITTEN)
    name = node.name
    if name == "br":
        return "<br>"
    if name == "img":
        source = str(node.get("src") or "")
        said = {"src": source, "alt": str(node.get("alt") or "")}
        return f"<img{write_attributes(said)}>" if is_safe({"kind": "url", "url": source}) else ""
    if name == "pre":
        lines = html.escape(node.get_text().strip("\n"), quote=False).split("\n")
        return "<p>" + "<br>".join(f"<code>{line}</code>" if line else "" for line in lines) + "</p>"
    inner = "".join(_written(child) for child in child_nodes(node))
    if name == "a":
        target = str(node.get("href") or "")
        safe = bool(target) and bool(inner.strip()) and is_safe({"kind": "url", "url": target})
        return f"<a{write_attributes({'href': target})}>{inner}</a>" if safe else inner
    if name in MARKS:
        return f"<{MARKS[name]}>{inner}</{MARKS[name]}>" if inner.strip() else inner
    if name in LISTS:
        return f"<{name}>{inner}</{name}>"
    return f"<p>{inner}</p>" if name in PARAGRAPHS and inner.strip() else inner
