"""Markdown, with the platform's own block syntax -> a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean
from runtime.services.markdown.block_lines import BlockLines
from runtime.services.markdown.fitting import fit
from runtime.services.markdown.foreign_lines import normalized_lines
from runtime.services.markdown.links import IdLinks, LinkReader
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.parser import markdown_parser
from runtime.services.markdown.patience import Clock
from runtime.services.markdown.reading_html import HtmlReader, only_anchors, take_anchor
from runtime.services.markdown.reading_inline import InlineReader
from runtime.services.markdown.reading_tables import plain_table
from runtime.services.markdown.reading_tags import TagReader

Fences = Mapping[str, tuple[str, str, str]]
"""Language of a fence -> (integration, block, property): blocks of integrations that are written as code."""
CHECKBOX = re.compile(r"\[([ xX])\](?: |$)")
SYNTAX = re.compile(r"\S{1,100}")
ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*", re.IGNORECASE)
ALERTS = {"NOTE": "info", "TIP": "success", "IMPORTANT": "info", "WARNING": "warning", "CAUTION": "danger"}
"""Alerts, which are quotations in GitHub's Markdown -> styles of hints."""
NAME = re.compile(r"(?:^|[ \t])(\{#([-a-z0-9.+_]+)\})[ \t]*$")


def document_of(
    markdown: str,
    links: LinkReader | None = None,
    fences: Fences | None = None,
    top: int | None = 1,
    seconds: float | None = None,
) -> Node:
    """Convert Markdown to a document, in linear time; every text is valid.

    Raises `TakesTooLong` after `seconds` of processor time, if given.

    `top` is the number of `#` of the highest heading level: 2 if the page's title is above the text, None if that is
    not known, so that it is 1 only where the text has such a heading.

    Comments, layout elements, and tags for marks that documents lack are dropped. GitHub's alerts, picture sizes,
    anchors and tables without a head are converted to the platform's equivalents.

    Blocks deeper than `LEVELS`, tables beyond `MAX_CELLS`, other HTML that the platform does not write, and links that
    would run a script stay text. Blocks that may not be where they are become plainer ones (`fitting`).
    """
    source = normalized_lines(clean(markdown))
    env: dict[str, Any] = {"lines": BlockLines(source), "definitions": set()}
    clock = env["clock"] = Clock(seconds) if seconds is not None else None
    tokens = markdown_parser().parse(source, env)
    if top is None:
        top = 1 if any(token.tag == "h1" and token.level == 0 for token in tokens) else 2
    reader = _Reader(links or IdLinks(), fences or {}, len(source), top, clock)
    return {"object": "document", "data": {}, "nodes": reader.document(tokens, env.get("cells", 0))}


def groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Group tokens into blocks, each from its opening to its closing token."""
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
        name: str | None = None
        for part in parts:
            if part[0].type == "footnote_open":
                unsaid.append((len(nodes), part[0].info))
            else:
                name = self._add(nodes, part, name)
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
        return self._named(groups(tokens))

    def _named(self, parts: Iterable[Sequence[Token]]) -> list[Node]:
        nodes: list[Node] = []
        name: str | None = None
        for part in parts:
            name = self._add(nodes, part, name)
        return nodes

    def _add(self, nodes: list[Node], part: Sequence[Token], name: str | None) -> str | None:
        """Read a block, with `name` as its id if it is a heading; returns the name if it is only an anchor."""
        anchor = only_anchors(part[1].children or ()) if part[0].type == "paragraph_open" else None
        if anchor is not None:
            return anchor
        found = self._block(part)
        if name and found and found[0]["type"].startswith("heading-"):
            found[0]["data"].setdefault("id", name)
        nodes += found
        return None

    def _block(self, group: Sequence[Token]) -> list[Node]:
        if self._clock is not None:
            self._clock.check()
        head, inside = group[0], group[1:-1]
        kind = head.type.removesuffix("_open")
        if kind == "tag":
            return self._tags.block(head, self._blocks(inside))
        if kind == "element":
            return self._html.block(head.tag, head.content)
        if kind == "bullet_list":
            return self._bullet_lists(inside)
        if kind == "paragraph":
            return self._paragraph(inside[0])
        if kind == "heading":
            return [self._heading(head, inside[0])]
        return [self._plain(kind, head, inside)]

    def _plain(self, kind: str, head: Token, inside: Sequence[Token]) -> Node:
        if kind == "hr":
            return make.block("divider")
        if kind == "ordered_list":
            return self._list("list-ordered", [group[1:-1] for group in groups(inside)], [], head.attrGet("start"))
        if kind == "blockquote":
            style = _alert(inside)
            if style is not None:
                body = inside if inside[1].children else inside[3:]
                return make.block("hint", fit(self._blocks(body), "hint"), {"style": style})
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
        sized = self._html.sized_images([child for child in children if child.type != "softbreak"])
        if sized is not None:
            return [sized]
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

    def _heading(self, head: Token, line: Token) -> Node:
        children = line.children or []
        name = take_anchor(children) or _take_heading_id(line, children)
        node = self._html.heading(self._html.level(head.tag), self._inlines.read(children), line.content)
        if name:
            node["data"].setdefault("id", name)
        return node

    def _bullet_lists(self, inside: Sequence[Token]) -> list[Node]:
        """Read a list; one that mixes tasks and other items is split, since documents do not mix them."""
        parts = [group[1:-1] for group in groups(inside)]
        boxes = [_checkbox(part) for part in parts]
        lists: list[Node] = []
        start = 0
        for place in range(1, len(parts) + 1):
            if place == len(parts) or (boxes[place] is None) != (boxes[start] is None):
                kind = "list-unordered" if boxes[start] is None else "list-tasks"
                lists.append(self._list(kind, parts[start:place], boxes[start:place]))
                start = place
        return lists

    def _list(
        self, kind: str, parts: Sequence[Sequence[Token]], boxes: Sequence[bool | None], start: object = None
    ) -> Node:
        tasks = kind == "list-tasks"
        items: list[Node] = []
        for place, part in enumerate(parts):
            if tasks:
                _without_checkbox(part)
            nodes = fit(self._blocks(part), "list-item")
            items.append(make.block("list-item", nodes, {"checked": boxes[place]} if tasks else {}))
        return make.block(kind, items, {"start": start} if isinstance(start, int) and start != 1 else {})


def _alert(inside: Sequence[Token]) -> str | None:
    """Remove `[!NOTE]` from the first line of a quote and return its hint's style; None for other quotes."""
    if len(inside) < 3 or inside[0].type != "paragraph_open" or not inside[1].children:
        return None
    line, children = inside[1], inside[1].children
    match = ALERT.fullmatch(line.content.split("\n", 1)[0])
    if match is None or children[0].type != "text" or children[0].content.strip() != match[0].strip():
        return None
    del children[: 2 if len(children) > 1 and children[1].type.endswith("break") else 1]
    line.content = line.content.partition("\n")[2]
    return ALERTS[match[1].upper()]


def _take_heading_id(line: Token, children: Sequence[Token]) -> str | None:
    """Remove `{#name}` from the end of a heading and return the name; None if there is none or it is escaped."""
    match = NAME.search(line.content[-200:])
    if match is None or not children or children[-1].type != "text" or not children[-1].content.endswith(match[1]):
        return None
    children[-1].content = children[-1].content[: -len(match[1])].rstrip()
    return match[2]


def _checkbox(item: Sequence[Token]) -> bool | None:
    """Read `[ ]` or `[x]` at the start of an item; None if there is none."""
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
