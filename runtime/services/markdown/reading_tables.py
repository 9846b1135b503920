"""Converts tables of Markdown and HTML to table blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean, elements, read_attributes, read_json, unescape
from runtime.services.markdown.fitting import fit
from runtime.services.markdown.links import LinkReader, known
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_inline import InlineReader

ANCHOR = re.compile(r"<a\s([^<>]*)>", re.IGNORECASE)
OPTION = re.compile(r"<span\s([^<>]*)>", re.IGNORECASE)
ALIGNMENTS = frozenset(("left", "center", "right"))
VERTICAL = frozenset(("top", "middle", "bottom"))
FITS = frozenset(("cover", "contain", "fill"))
TYPES = frozenset(("number", "checkbox", "files", "users", "rating", "select", "content-ref", "image"))


HEAD = re.compile(r"<thead(?:\s[^<>]*)?>", re.IGNORECASE)
HEAD_END = re.compile(r"</thead>", re.IGNORECASE)
SPAN = re.compile(r"[1-9][0-9]{0,2}")
CELL_BLOCK = re.compile(r"<(/?)(p|ul|ol|li|div)(?:\s[^<>]*)?>", re.IGNORECASE)
Cell = tuple[str, str]
"""The attributes of a cell's tag, and its content, as HTML."""
NO_CELL: Cell = ("", "")


class _Table:
    """Collects columns and cells, named by their position, since Markdown has no names for them."""

    def __init__(self) -> None:
        self.definition: dict[str, Node] = {}
        self.records: dict[str, Node] = {}
        self.fragments: list[Node] = []

    def column(self, title: str, **more: Any) -> str:
        name = f"c{len(self.definition)}"
        self.definition[name] = {"id": name, "title": title, **more}
        return name

    def row(self) -> Node:
        number = len(self.records)
        values: Node = {}
        self.records[f"r{number}"] = {"orderIndex": f"{number:06d}", "values": values}
        return values

    def text(self, values: Node, column: str, nodes: Sequence[Node]) -> None:
        """Put text into a cell, as a fragment named in the record; an empty cell has no fragment."""
        if len(nodes) == 1 and nodes[0]["nodes"] == [make.text("")]:
            return
        name = f"r{len(self.records) - 1}-{column}"
        self.fragments.append({"object": "fragment", "fragment": name, "nodes": list(nodes)})
        values[column] = name

    def block(self, view: Node, **more: Any) -> Node:
        data = {"view": view, "records": self.records, "definition": self.definition, **more}
        return make.block("table", data=data, fragments=self.fragments)


def plain_table(inside: Sequence[Token], inlines: InlineReader) -> Node:
    """Read a Markdown table; all columns are text."""
    table = _Table()
    columns: list[str] = []
    values: Node = {}
    place = 0
    in_head = False
    cell: Token | None = None
    for token in inside:
        if token.type in ("thead_open", "tr_open"):
            in_head = in_head or token.type == "thead_open"
            place = 0
            if token.type == "tr_open" and not in_head:
                values = table.row()
        elif token.type == "thead_close":
            in_head = False
        elif token.type in ("th_open", "td_open"):
            cell = token
        elif token.type == "inline" and cell is not None:
            nodes = inlines.read(token.children or ())
            if in_head:
                title = "".join(map(make.texts_of, nodes))
                columns.append(table.column(title, type="text", textAlignment=_alignment(cell)))
            elif place < len(columns):
                table.text(values, columns[place], [make.paragraph(nodes)])
                place += 1
    return table.block({"type": "grid", "columns": columns, "hideHeader": False})


def _alignment(cell: Token) -> str:
    style = str(cell.attrGet("style") or "").removeprefix("text-align:")
    return style if style in ALIGNMENTS else "left"


def html_table(source: str, inlines: InlineReader, links: LinkReader, cells: int) -> tuple[Node | None, int]:
    """Read an HTML table and count its cells; None if it has no columns or too many cells."""
    head, rows = _rows(source)
    wide = max((sum(_spans(attributes)[0] for attributes, _ in row) for row in ([head] if head else rows)), default=0)
    count = wide * (len(rows) + 1)
    if not count or count > cells:
        return None, 0
    at_table = read_attributes(source[6 : source.index(">")])
    table = _Table()
    view: Node = {"columns": []}
    widths: dict[str, Any] = {}
    for written, title in next(_spread([head], wide)) if head else [NO_CELL] * wide:
        attributes = read_attributes(written)
        shown = "".join(map(make.texts_of, inlines.html(title)))
        column = table.column(shown, **_definition(attributes))
        if "data-hidden" not in attributes:
            view["columns"].append(column)
        for name, field in TARGETS.items():
            if name in attributes:
                view.setdefault(field, column)
        width = read_json(attributes.get("width", ""))
        if isinstance(width, int | float) and not isinstance(width, bool):
            widths[column] = width
    for row in _spread(rows, wide):
        values = table.row()
        for (column, definition), match in zip(table.definition.items(), row, strict=False):
            _cell(table, values, column, definition["type"], match, inlines, links)
    if not head:
        at_table.setdefault("data-header-hidden", "")
    _view(view, at_table, widths)
    more = {"fullWidth": True} if "data-full-width" in at_table else {}
    return table.block(view, **more), count


def _rows(source: str) -> tuple[list[Cell], list[list[Cell]]]:
    """Split a table into its head and its rows; without `<thead>`, a first row with only `<th>` is the head."""
    end = HEAD_END.search(source)
    in_head, body = (source[: end.start()], source[end.end() :]) if end else ("", source)
    heads = [inner for _, inner in elements(in_head, "tr")] if HEAD.search(in_head) else []
    rows = [inner for _, inner in elements(body, "tr")]
    if not end and rows and "<th" in rows[0].lower() and "<td" not in rows[0].lower():
        heads = [rows.pop(0)]
    head = list(elements(heads[0], "th", "td")) if heads else []
    return head, [list(elements(row, "td", "th")) for row in (*heads[1:], *rows)]


def _spans(attributes: str) -> tuple[int, int]:
    """Return how many columns and rows a cell spans."""
    if "span" not in attributes.lower():
        return 1, 1
    said = {name.lower(): value for name, value in read_attributes(attributes).items()}
    columns, rows = (said.get(name, "") for name in ("colspan", "rowspan"))
    return tuple(int(one) if SPAN.fullmatch(one) else 1 for one in (columns, rows))  # type: ignore[return-value]


def _spread(rows: Iterable[list[Cell]], width: int) -> Iterator[list[Cell]]:
    """Yield rows with one cell per column; a spanning cell fills the first one, the others are empty."""
    covered = [0] * width
    for row in rows:
        cells: list[Cell] = []
        waiting = iter(row)
        while len(cells) < width:
            place = len(cells)
            if covered[place]:
                covered[place] -= 1
                cells.append(NO_CELL)
                continue
            cell = next(waiting, None)
            if cell is None:
                cells.append(NO_CELL)
                continue
            columns, lines = _spans(cell[0])
            columns = min(columns, width - place)
            covered[place : place + columns] = [lines - 1] * columns
            cells += [cell, *[NO_CELL] * (columns - 1)]
        yield cells


TARGETS = {
    "data-card-target": "targetDefinition",
    "data-card-cover": "coverDefinition",
    "data-card-cover-dark": "coverDefinitionDark",
}


def _view(view: Node, attributes: dict[str, str], widths: dict[str, Any]) -> None:
    if attributes.get("data-view") == "cards":
        view |= {"type": "cards", "cardSize": "large" if attributes.get("data-card-size") == "large" else "medium"}
        if "data-hide-column-title" in attributes:
            view["hideColumnTitle"] = True
        return
    for field in TARGETS.values():
        view.pop(field, None)
    view |= {"type": "grid", "hideHeader": "data-header-hidden" in attributes}
    if widths:
        view["columnWidths"] = widths
    if "data-new-sizing" in attributes:
        view["useNewSizing"] = True


def _definition(attributes: dict[str, str]) -> Node:
    kind = attributes.get("data-type", "text")
    if kind not in TYPES:
        align = attributes.get("align", "left")
        more = {"verticalAlignment": attributes["valign"]} if attributes.get("valign") in VERTICAL else {}
        return {"type": "text", "textAlignment": align if align in ALIGNMENTS else "left", **more}
    if kind == "rating":
        maximum = read_json(attributes.get("data-max", "5"))
        is_number = isinstance(maximum, int | float) and not isinstance(maximum, bool)
        return {"type": kind, "max": maximum if is_number else 5}
    if kind not in ("select", "users"):
        return {"type": kind}
    definition: Node = {"type": kind, "multiple": "data-multiple" in attributes}
    if kind == "select":
        options = read_json(attributes.get("data-options", "[]"))
        fields = ("value", "label", "color")
        definition["options"] = [
            {field: clean(option[field]) for field in fields}
            for option in (options if isinstance(options, list) else ())
            if isinstance(option, dict) and all(isinstance(option.get(field), str) for field in fields)
        ]
    return definition


def _cell(
    table: _Table,
    values: Node,
    column: str,
    kind: str,
    match: tuple[str, str],
    inlines: InlineReader,
    links: LinkReader,
) -> None:
    attributes = read_attributes(match[0])
    inner = match[1].strip()
    if "data-value" in attributes:
        value = read_json(attributes["data-value"])
        if _is_plain(value):
            values[column] = [clean(one) for one in value] if isinstance(value, list) else value
    elif kind == "text":
        nodes = [make.paragraph(inlines.html(one)) for one in _paragraphs(inner)]
        table.text(values, column, fit(nodes, "paragraphs"))
    elif kind in ("number", "checkbox", "rating"):
        value = read_json(unescape(inner))
        if isinstance(value, bool) if kind == "checkbox" else _is_number(value):
            values[column] = value
    elif kind == "select":
        chosen = [read_attributes(found[1]).get("data-option") for found in OPTION.finditer(inner)]
        if chosen:
            values[column] = [option for option in chosen if option is not None]
    else:
        _references(values, column, kind, inner, links)


def _paragraphs(source: str) -> list[str]:
    """Split a cell's text into paragraphs; list items become paragraphs with their bullet or number."""
    parts = CELL_BLOCK.split(source)
    if len(parts) == 1:
        return [source]
    paragraphs = [parts[0]] if parts[0].strip() else []
    counts: list[int | None] = []  # for each open list the number of its last item; None for a list without numbers
    for place in range(1, len(parts), 3):
        closes, name, text = parts[place], parts[place + 1].lower(), parts[place + 2]
        if name in ("ul", "ol"):
            if not closes:
                counts.append(0 if name == "ol" else None)
            elif counts:
                counts.pop()
        bullet = ""
        if name == "li" and not closes:
            number = counts[-1] if counts else None
            if number is not None:
                counts[-1] = number + 1
            bullet = "\u2003" * min(max(len(counts) - 1, 0), 5) + ("• " if number is None else f"{number + 1}. ")
        if text.strip() or (name == "p" and not closes):
            paragraphs.append(bullet + text.strip())
    return paragraphs or [""]


def _references(values: Node, column: str, kind: str, inner: str, links: LinkReader) -> None:
    found = [read_attributes(match[1]) for match in ANCHOR.finditer(inner)]
    if kind in ("users", "files"):
        field = kind[:-1]
        refs = [known(links, one.get("href", ""), (field,)) for one in found]
        ids = [ref[field] for ref in refs if ref is not None]
        if ids:
            values[column] = ids
    elif found:
        ref = known(links, found[0].get("href", ""), ("url", "file") if kind == "image" else ())
        fitting = found[0].get("data-object-fit")
        if ref is not None:
            framed = {"ref": ref, "objectFit": fitting} if kind == "image" and fitting in FITS else None
            values[column] = framed or ({"ref": ref} if kind == "image" and "data-framed" in found[0] else ref)


def _is_number(value: Any) -> bool:
    # JSON has no NaN, but Python reads one.
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e300


def _is_plain(value: Any) -> bool:
    """Return whether a value contains no references: text, numbers, and lists of text."""
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return value is None or isinstance(value, str | bool) or _is_number(value)


def options_of(definition: Node) -> str | None:
    """Write a select column's options as the attribute that `_definition` reads."""
    return json.dumps(definition.get("options", []), ensure_ascii=False) if definition["type"] == "select" else None
