"""Markdown -> a document as nodes, as far as both can say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as read_table
from markdown_it.token import Token

Node = dict[str, Any]

DELIMITER = frozenset("|-: \t")
"""What the second line of a table is made of."""
MAX_CELLS = 20_000
"""Cells of all tables of a document."""
MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
PLAIN = ("paragraph", "heading", "bullet_list", "ordered_list", "hr")
"""What may be in a quotation."""


def document_of(markdown: str) -> Node:
    """Write CommonMark, with tables and strike-through, as a document.

    A table that would bring all of them above `MAX_CELLS` stays text.
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.block.ruler.at("table", _bounded_table, {"alt": ["paragraph", "reference"]})
    return {"object": "document", "data": {}, "nodes": _blocks(reader.parse(markdown))}


def _bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, unless it has too many cells: short rows are filled up, so that a kilobyte may have thousands.

    It is asked for each line of each paragraph, so it looks no further than the second line, but where a table begins.
    """
    if start + 2 > end or start < state.env.get("no table before", 0):
        return False
    delimiter = state.getLines(start + 1, start + 2, 0, False).strip()
    if not delimiter or not DELIMITER.issuperset(delimiter):
        return False
    if silent:
        return read_table(state, start, end, silent)
    columns = delimiter.strip("|").count("|") + 1
    left = MAX_CELLS - state.env.get("cells", 0) - columns
    for line in range(start + 2, end):
        if state.isEmpty(line):
            break
        left -= columns
        if left < 0:
            # None of these lines is looked through once more.
            state.env["no table before"] = line
            return False
    if not read_table(state, start, end, silent):
        return False
    state.env["cells"] = MAX_CELLS - left
    return True


def _groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Split tokens into blocks: one that opens goes on to the one that closes it."""
    start = depth = 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : place + 1]
            start = place + 1


def _blocks(tokens: Sequence[Token], quoted: bool = False) -> list[Node]:
    nodes: list[Node] = []
    for group in _groups(tokens):
        kind = group[0].type.removesuffix("_open")
        if quoted and kind not in (*PLAIN, "blockquote"):
            nodes += [_paragraph(_text(line)) for line in _plain(group)]
        else:
            nodes.append(_block(kind, group))
    return nodes


def _block(kind: str, group: Sequence[Token]) -> Node:
    head, inside = group[0], group[1:-1]
    if kind == "heading":
        level = min(int(head.tag[1:]), 3)
        return {"object": "block", "type": f"heading-{level}", "nodes": _inlines(inside), "data": {}}
    if kind == "hr":
        return {"object": "block", "type": "divider", "isVoid": True, "data": {}}
    if kind in ("fence", "code_block"):
        return _code(head)
    if kind == "blockquote":
        return {"object": "block", "type": "blockquote", "nodes": _blocks(inside, True), "data": {}}
    if kind in ("bullet_list", "ordered_list"):
        return _list(head, inside)
    if kind == "table":
        return _table(inside)
    return _paragraph(_inlines(inside))


def _paragraph(nodes: list[Node]) -> Node:
    return {"object": "block", "type": "paragraph", "nodes": nodes, "data": {}}


def _code(token: Token) -> Node:
    syntax = token.info.split()[:1]
    lines = [
        {"object": "block", "type": "code-line", "nodes": _text(line), "data": {}}
        for line in token.content.removesuffix("\n").split("\n")
    ]
    return {"object": "block", "type": "code", "data": {"syntax": syntax[0]} if syntax else {}, "nodes": lines}


def _list(head: Token, inside: Sequence[Token]) -> Node:
    items: list[Node] = []
    for group in _groups(inside):
        items.append({"object": "block", "type": "list-item", "nodes": _blocks(group[1:-1]) or [_paragraph(_text(""))]})
    if head.type == "bullet_list_open":
        return {"object": "block", "type": "list-unordered", "nodes": items, "data": {}}
    start = head.attrGet("start")
    data = {"start": start} if isinstance(start, int) else {}
    return {"object": "block", "type": "list-ordered", "nodes": items, "data": data}


def _table(inside: Sequence[Token]) -> Node:
    rows = [
        [" ".join(_plain(cell)) for cell in _groups(row[1:-1])]
        for part in _groups(inside)
        for row in _groups(part[1:-1])
    ]
    columns = [f"c{number}" for number in range(len(rows[0]))]
    definition = {
        name: {"id": name, "title": title, "type": "text", "textAlignment": "left"}
        for name, title in zip(columns, rows[0], strict=True)
    }
    records = {
        f"r{number}": {"orderIndex": f"{number:06d}", "values": dict(zip(columns, row, strict=False))}
        for number, row in enumerate(rows[1:])
    }
    view = {"type": "grid", "columns": columns, "hideHeader": False}
    data = {"view": view, "records": records, "definition": definition}
    return {"object": "block", "type": "table", "isVoid": True, "data": data, "fragments": []}


def _plain(tokens: Sequence[Token]) -> list[str]:
    """Give the text of blocks, a line for each."""
    lines: list[str] = []
    for token in tokens:
        if token.type == "inline":
            parts = (" " if child.type.endswith("break") else child.content for child in token.children or ())
            lines.append("".join(parts))
        elif token.content:
            lines += token.content.rstrip("\n").split("\n")
    return lines


def _text(text: str, marks: Sequence[str] = ()) -> list[Node]:
    marks_shown = [{"object": "mark", "type": mark} for mark in marks]
    return [{"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": marks_shown}]}]


def _inlines(tokens: Sequence[Token]) -> list[Node]:
    nodes: list[Node] = []
    into = nodes  # a link's own nodes while one is open
    marks: list[str] = []
    for token in (child for inline in tokens for child in inline.children or ()):
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in MARKS:
            if token.nesting > 0:
                marks.append(MARKS[name])
            else:
                marks.remove(MARKS[name])
        elif token.type == "link_open":
            into = []
            ref = {"kind": "url", "url": str(token.attrGet("href") or "")}
            nodes.append({"object": "inline", "type": "link", "nodes": into, "data": {"ref": ref}})
        elif token.type == "link_close":
            into = nodes
        elif token.type == "image":
            ref = {"kind": "url", "url": str(token.attrGet("src") or "")}
            data = {"ref": ref, "alt": token.content}
            into.append({"object": "inline", "type": "inline-image", "data": data, "isVoid": True})
        elif token.type == "code_inline":
            _append(into, token.content, [*marks, "code"])
        else:
            _append(into, {"softbreak": " ", "hardbreak": "\n"}.get(token.type, token.content), marks)
    return nodes or _text("")


def _append(nodes: list[Node], text: str, marks: Sequence[str]) -> None:
    """Add text behind the text that is there already, if that is what stands last."""
    if not text:
        return
    fresh = _text(text, marks)
    if nodes and nodes[-1]["object"] == "text":
        nodes[-1]["leaves"] += fresh[0]["leaves"]
    else:
        nodes += fresh
