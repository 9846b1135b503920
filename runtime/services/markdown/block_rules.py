"""Block rules of the parser: the platform's tags, its HTML elements, formulas, and footnote definitions."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as read_table

from runtime.services.markdown.block_lines import tag_of

LEVELS = 100
"""How deep blocks may be nested; what is deeper is text of the level above."""
MAX_CELLS = 20_000
"""Cells of all tables of a document."""
DELIMITER = frozenset("|-: \t")
"""What the second line of a table is made of."""
ELEMENTS = frozenset(("figure", "table", "pre", "p", "h1", "h2", "h3", "h4", "h5", "h6", "div", "summary", "center"))
"""HTML elements that are blocks: each ends with its closing tag, and nothing may follow on that line."""
ELEMENT = re.compile(r"<([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?>")
DEFINITION = re.compile(r"\[\^([^\s\[\]]{1,99})\]:[ \t]*")


def line_of(state: StateBlock, line: int) -> str:
    """Return a line without indentation and trailing spaces."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip(" \t")


def first_of(state: StateBlock, line: int) -> str:
    """Return the first character of a line."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : start + 1]


def too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Treat blocks nested deeper than `LEVELS` as paragraphs."""
    if silent or state.level < LEVELS:
        return False
    stop = start + 1
    while stop < end and not state.isEmpty(stop):
        stop += 1
    state.line = stop
    state.push("paragraph_open", "p", 1)
    state.push("inline", "", 0).content = state.getLines(start, stop, state.blkIndent, False).strip()
    state.tokens[-1].children = []
    state.push("paragraph_close", "p", -1)
    return True


def bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, unless it has too many cells: short rows are filled up, so a kilobyte can have thousands.

    It is called for each line of each paragraph; it looks beyond the second line only if a table begins there.
    """
    if start + 2 > end or start < state.env.get("no table before", 0):
        return False
    if first_of(state, start + 1) not in DELIMITER:
        return False
    delimiter = state.getLines(start + 1, start + 2, 0, False).strip()
    if not delimiter or not DELIMITER.issuperset(delimiter):
        return False
    if not read_table(state, start, end, True):
        return False
    if silent:
        return True
    columns = delimiter.strip("|").count("|") + 1
    left = MAX_CELLS - state.env.get("cells", 0) - columns
    if left < 0:
        state.env["no table before"] = start + 1
        return False
    stop = _next_empty(state, start + 2, end)
    rows = left // columns
    left -= columns * (stop - start - 2)
    if left < 0:
        # No table begins in these lines.
        state.env["no table before"] = start + 2 + rows
        return False
    if not read_table(state, start, end, silent):
        return False
    state.env["cells"] = MAX_CELLS - left
    return True


def _next_empty(state: StateBlock, line: int, end: int) -> int:
    """Find the next empty line; remembers the last result, so that no line is scanned twice."""
    key = f"filled {state.level}"
    first, stop = state.env.get(key, (0, 0))
    if not first <= line < stop:
        first, stop = line, line
        while stop < end and not state.isEmpty(stop):
            stop += 1
        state.env[key] = (first, stop)
    return int(min(stop, end))


def tag_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read `{% name %}` to `{% endname %}`, or `<details>` to `</details>`, with its blocks, or a single tag."""
    if first_of(state, start) not in ("{", "<") or state.is_code_block(start):
        return False
    found = tag_of(line_of(state, start))
    if found is None or found[2]:
        return False
    name, attributes, _, rest = found
    close = None if rest else state.env["lines"].closed.get(start)
    if close is not None and (close >= end or state.sCount[close] < state.blkIndent):
        close = None
    if rest:
        if not rest.endswith("%}") or rest.count("{%") != 1:
            return False
        ending = rest.rpartition("{%")
        if ending[2].strip(" \t-%}") != "end" + name:
            return False
        rest = ending[0].strip()
    if close is None and name in ("details", "summary"):
        return False
    if silent:
        return True
    token = state.push("tag_open", name, 1)
    token.info, token.content, token.map = attributes, rest, [start, (close or start) + 1]
    if close is not None:
        _inside(state, start + 1, close)
    state.push("tag_close", name, -1)
    state.line = (close if close is not None else start) + 1
    return True


def _inside(state: StateBlock, start: int, end: int) -> None:
    line_max, parent = state.lineMax, state.parentType
    state.lineMax, state.parentType = end, "blockquote"
    state.md.block.tokenize(state, start, end)
    state.lineMax, state.parentType = line_max, parent


def element_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an HTML element of `ELEMENTS` up to its closing tag, unparsed."""
    if first_of(state, start) != "<" or state.is_code_block(start):
        return False
    match = ELEMENT.match(line_of(state, start))
    name = match[1].lower() if match else ""
    if name not in ELEMENTS:
        return False
    close = state.env["lines"].next_with(f"</{name}>", start)
    if close is None or close >= end or any(state.sCount[line] < state.blkIndent for line in (start, close)):
        return False
    if not line_of(state, close).lower().endswith(f"</{name}>"):
        return False
    if silent:
        return True
    text = state.getLines(start, close + 1, state.blkIndent, False).strip()
    token = state.push("element", name, 0)
    token.content, token.map = text, [start, close + 1]
    state.line = close + 1
    return True


def formula_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a formula between two lines `$$`."""
    if first_of(state, start) != "$" or state.is_code_block(start) or line_of(state, start) != "$$":
        return False
    close = state.env["lines"].next_with("$$", start + 1)
    if close is None or close >= end or line_of(state, close) != "$$" or state.sCount[close] < state.blkIndent:
        return False
    if silent:
        return True
    token = state.push("formula", "", 0)
    token.content, token.map = state.getLines(start + 1, close, state.blkIndent, False), [start, close + 1]
    state.line = close + 1
    return True


def footnote_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a footnote definition: `[^1]: ` and the following blocks, indented by four; at the top level only."""
    if state.level or state.blkIndent or first_of(state, start) != "[" or state.is_code_block(start):
        return False
    match = DEFINITION.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if match is None or match[1] in state.env["definitions"]:
        return False
    if silent:
        return True
    stop = last = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= 4):
        stop += 1
        last = last if state.isEmpty(stop - 1) else stop
    old = (state.bMarks[start], state.tShift[start], state.sCount[start], state.lineMax, state.parentType)
    state.bMarks[start], state.tShift[start], state.sCount[start] = match.end(), 0, 4
    state.lineMax, state.parentType, state.blkIndent = last, "footnote", 4
    state.env["definitions"].add(match[1])
    state.push("footnote_open", "", 1).info = match[1]
    state.md.block.tokenize(state, start, last)
    state.push("footnote_close", "", -1)
    state.bMarks[start], state.tShift[start], state.sCount[start], state.lineMax, state.parentType = old
    state.blkIndent, state.line = 0, last
    return True
