"""Markdown, with the platform's own block syntax -> a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean
from runtime.services.markdown.block_lines import BlockLines
from runtime.services.markdown.fitting import fit
from runtime.services.markdown.links import IdLinks, LinkReader
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.parser import markdown_parser
from runtime.services.markdown.patience import Clock
from runtime.services.markdown.reading_html import HtmlReader
from runtime.services.markdown.reading_inline import InlineReader
from runtime.services.markdown.reading_tables import plain_table
from runtime.services.markdown.reading_tags import TagReader

Fences = Mapping[str, tuple[str, str, str]]
"""Language of a fence -> (integration, block, property): blocks of integrations that are written as code."""
CHECKBOX = re.compile(r"\[([ xX])\](?: |$)")
SYNTAX = re.compile(r"\S{1,100}")


def document_of(
    markdown: str,
    links: LinkReader | None = None,
    fences: Fences | None = None,
    top: int = 1,
    seconds: float | None = None,
) -> Node:
    """Write Markdown as a document, in time that grows as the text does; no text is wrong.

    With `seconds` of processor time one that takes more of it raises `TakesTooLong`.

    `top` is how many `#` the highest heading of a text has: 2 where the title of the page is above it.

    Blocks deeper than `LEVELS`, tables beyond `MAX_CELLS`, HTML that the platform does not write, and links that would
    run something stay text. What may not stand where it was written is put plainer (`fitting`).
    """
    source = clean(markdown)
    env: dict[str, Any] = {"lines": BlockLines(source), "definitions": set()}
    clock = env["clock"] = Clock(seconds) if seconds is not None else None
    tokens = markdown_parser().parse(source, env)
    reader = _Reader(links or IdLinks(), fences or {}, len(source), top, clock)
    return {"object": "document", "data": {}, "nodes": reader.document(tokens, env.get("cells", 0))}


def groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Split tokens into blocks: one that opens goes on to the one that closes it."""
    start = depth = 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : place + 1]
            start = place + 1


class _Reader:
    def __init__(self, links: LinkReader, fences: Fences, size: int, top: int, clock: Clock | None) -> None:
        self._clock = clock
        self._inlines = InlineReader(links, size)
        self._fences = fences
        self._html = HtmlReader(self._inlines, links, top)
        self._tags = TagReader(self._inlines, links)
        self._definitions: dict[str, Sequence[Token]] = {}
        self._given: set[str] = set()
        self._defining = 0

    def document(self, tokens: Sequence[Token], cells: int) -> list[Node]:
        self._html.cells = cells
        parts = list(groups(tokens))
        self._definitions = {part[0].info: part[1:-1] for part in parts if part[0].type == "footnote_open"}
        self._inlines.body_of = self._body
        nodes: list[Node] = []
        unsaid: list[tuple[int, str]] = []
        for part in parts:
            if part[0].type == "footnote_open":
                unsaid.append((len(nodes), part[0].info))
            else:
                nodes += self._block(part)
        for place, label in reversed(unsaid):
            if label not in self._given:
                self._defining += 1
                said = [make.paragraph([make.text(f"[^{label}]:")]), *self._blocks(self._definitions[label])]
                self._defining -= 1
                nodes[place:place] = said
        return fit(nodes, "document")

    def _body(self, label: str) -> list[Node] | None:
        inside = self._definitions.get(label)
        if inside is None or self._defining:
            return None
        if label in self._given and not self._inlines.spend(sum(200 + len(token.content) for token in inside)):
            return None
        self._given.add(label)
        self._defining += 1
        body = fit(self._blocks(inside), "annotation-body")
        self._defining -= 1
        return body

    def _blocks(self, tokens: Sequence[Token]) -> list[Node]:
        return [node for group in groups(tokens) for node in self._block(group)]

    def _block(self, group: Sequence[Token]) -> list[Node]:
        if self._clock is not None:
            self._clock.look()
        head, inside = group[0], group[1:-1]
        kind = head.type.removesuffix("_open")
        if kind == "tag":
            return self._tags.block(head, self._blocks(inside))
        if kind == "element":
            return self._html.block(head.tag, head.content)
        if kind in ("bullet_list", "ordered_list"):
            return [self._list(head, inside)]
        if kind == "paragraph":
            return self._paragraph(inside[0])
        if kind == "heading":
            level = self._html.level(head.tag)
            return [self._html.heading(level, self._inlines.read(inside[0].children or ()), inside[0].content)]
        return [self._plain(kind, head, inside)]

    def _plain(self, kind: str, head: Token, inside: Sequence[Token]) -> Node:
        if kind == "hr":
            return make.block("divider")
        if kind == "blockquote":
            return make.block("blockquote", fit(self._blocks(inside), "blockquote"))
        if kind == "table":
            return plain_table(inside, self._inlines)
        if kind == "formula":
            return make.block("math", data={"formula": clean(head.content).removesuffix("\n")})
        return self._code(head)

    def _paragraph(self, token: Token) -> list[Node]:
        children = token.children
        if children is None or (not children and token.content):
            return [make.paragraph([make.text(clean(token.content))])]
        nodes = self._inlines.read(children)
        if len(nodes) == 1 and nodes[0].get("type") == "inline-image" and children[0].type == "image":
            data = dict(nodes[0]["data"])
            caption = data.pop("caption", None)
            fragments = [make.fragment("caption", [make.paragraph([make.text(caption)])])] if caption else []
            image = make.block("image", data=data, fragments=fragments)
            return [make.block("images", [image], isVoid=False)]
        return [make.paragraph(nodes)]

    def _code(self, token: Token) -> Node:
        found = SYNTAX.match(clean(token.info.strip())) if token.type == "fence" else None
        syntax = found[0] if found else ""
        content = clean(token.content).removesuffix("\n")
        if syntax in self._fences:
            integration, name, field = self._fences[syntax]
            return make.block(
                "integration", data={"integration": integration, "block": name, "props": {field: content}}
            )
        lines = [make.block("code-line", [make.text(line)]) for line in content.split("\n")]
        return make.block("code", lines, {"syntax": syntax} if syntax else {})

    def _list(self, head: Token, inside: Sequence[Token]) -> Node:
        parts = [group[1:-1] for group in groups(inside)]
        ordered = head.type == "ordered_list_open"
        boxes = [] if ordered else [_checkbox(part) for part in parts]
        tasks = bool(boxes) and None not in boxes
        items: list[Node] = []
        for place, part in enumerate(parts):
            if tasks:
                _without_checkbox(part)
            nodes = fit(self._blocks(part), "list-item")
            items.append(make.block("list-item", nodes, {"checked": boxes[place]} if tasks else {}))
        start = head.attrGet("start") if ordered else None
        kind = "list-ordered" if ordered else "list-tasks" if tasks else "list-unordered"
        return make.block(kind, items, {"start": start} if isinstance(start, int) and start != 1 else {})


def _checkbox(item: Sequence[Token]) -> bool | None:
    """Read `[ ]` or `[x]` at the start of an item; None where there is none."""
    if len(item) < 2 or item[0].type != "paragraph_open" or not item[1].children:
        return None
    first = item[1].children[0]
    match = CHECKBOX.match(item[1].content.split("\n", 1)[0])
    if match is None or first.type != "text" or not first.content.startswith(match[0].rstrip()):
        return None
    return match[1] != " "


def _without_checkbox(item: Sequence[Token]) -> None:
    children = item[1].children or []
    children[0].content = children[0].content[3:].removeprefix(" ")
    if len(children) > 1 and children[0].content == "" and children[1].type == "softbreak":
        del children[1]
