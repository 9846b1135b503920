"""Reads block-level HTML elements: pictures, tables, code with marks, aligned paragraphs and headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean, elements, read_attributes, read_length
from runtime.services.markdown.block_rules import MAX_CELLS
from runtime.services.markdown.links import LinkReader
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_inline import InlineReader, html_tokens
from runtime.services.markdown.reading_tables import html_table

OPENING = re.compile(r"<[A-Za-z0-9]+(\s[^<>]*)?>")
IMAGE = re.compile(r"<img\s([^<>]*)>", re.IGNORECASE)
SOURCE = re.compile(r"<source\s([^<>]*)>", re.IGNORECASE)
CODE = re.compile(r"<code(?:\s[^<>]*)?>(.*)</code>", re.IGNORECASE | re.DOTALL)
LANGUAGE = re.compile(r"language-(\S{1,100})")
ID_ANCHOR = re.compile(r"[ \t]*<a\s([^<>]*)></a>[ \t]*$", re.IGNORECASE)
ID = re.compile(r"[-a-z0-9.+_]+")
ALIGNMENTS = {"left": "start", "center": "center", "right": "end", "start": "start", "end": "end"}


EMPTY_ANCHOR = re.compile(r"<a\s([^<>]*)></a>", re.IGNORECASE)


class HtmlReader:
    """Reads elements; anything beyond the platform's HTML is dropped or stays text."""

    def __init__(self, inlines: InlineReader, links: LinkReader, top: int = 1) -> None:
        self._inlines, self._links, self._top = inlines, links, top
        self.cells = 0
        """How many cells the tables have that were read so far."""

    def block(self, name: str, source: str) -> list[Node]:
        """Read an element as blocks; an unknown one becomes a paragraph of its source."""
        start = OPENING.match(source)
        attributes = read_attributes(start[1] or "") if start else {}
        inner = source[start.end() : source.rindex("</")] if start else source
        if name in ("p", "center") or (name == "div" and "<figure" not in inner.lower()):
            # A `<div>` with a figure is the platform's block of pictures, which is read below.
            nodes = self._paragraph("center" if name == "center" else attributes.get("align", ""), inner)
        elif name == "summary":
            nodes = [make.block("summary", [make.paragraph(self._inlines.html(inner))])]
        elif name == "pre":
            nodes = self._code(attributes, inner)
        elif name == "table":
            found, count = html_table(source, self._inlines, self._links, MAX_CELLS - self.cells)
            self.cells += count
            nodes = [found] if found else []
        elif name in ("figure", "div"):
            nodes = self._images(attributes if name == "div" else {}, source)
        else:
            nodes = [self._aligned(self.level(name), attributes, inner)]
        return nodes or [make.paragraph([make.text(clean(source))])]

    def _paragraph(self, align: str, inner: str) -> list[Node]:
        if "</p>" in inner.lower() or "</div>" in inner.lower():
            return []
        sized = self.sized_images([one for one in html_tokens(inner) if one.content.strip() or one.type != "text"])
        if sized is not None:
            sized["data"] |= {"align": align} if align in ("left", "center", "right") else {}
            return [sized]
        return [make.paragraph(self._inlines.html(inner), ALIGNMENTS.get(align))]

    def sized_images(self, tokens: Sequence[Token]) -> Node | None:
        """Make a block from `<img>` tags, at least one with a size; None for other text."""
        if not tokens or any(token.type != "html_image" for token in tokens):
            return None
        said = [read_attributes(token.info) for token in tokens]
        if not any(_sizes(one) for one in said):
            return None
        images: list[Node] = []
        for token, attributes in zip(tokens, said, strict=True):
            if not self._inlines.spend(len(attributes.get("src", ""))):
                return None
            dark = read_attributes(token.content).get("srcset") if token.content else None
            data = self._inlines.image(attributes, dark)
            if data is None:
                return None
            images.append(make.block("image", data=data | _sizes(attributes), fragments=[]))
        return make.block("images", images, isVoid=False)

    def level(self, tag: str) -> int:
        """Return the level of a heading's tag."""
        return min(max(int(tag[1:]) - self._top + 1, 1), 3)

    def heading(self, level: int, nodes: list[Node], source: str) -> Node:
        """Make a heading; an anchor at the end becomes its id."""
        node = make.block(f"heading-{level}", nodes)
        match = ID_ANCHOR.search(source[-600:])
        last = nodes[-1]
        if match is None or last.get("type") != "link" or make.texts_of(last):
            return node
        attributes = read_attributes(match[1])
        if not ID.fullmatch(attributes.get("id", "")) and "data-meta-id" not in attributes:
            return node
        nodes = nodes[:-1]
        if nodes and nodes[-1]["object"] == "text":
            leaf = nodes[-1]["leaves"][-1]
            leaf["text"] = leaf["text"].removesuffix(" ")
            if not leaf["text"]:
                nodes[-1]["leaves"].pop()
            if not nodes[-1]["leaves"]:
                nodes.pop()
        node["nodes"] = nodes or [make.text("")]
        if ID.fullmatch(attributes.get("id", "")):
            node["data"]["id"] = attributes["id"]
        if attributes.get("data-meta-id"):
            node["meta"] = {"id": attributes["data-meta-id"]}
        return node

    def _aligned(self, level: int, attributes: dict[str, str], inner: str) -> Node:
        heading = self.heading(level, self._inlines.html(inner), inner.strip())
        align = ALIGNMENTS.get(attributes.get("align", ""))
        if align:
            heading["data"]["align"] = align
        if ID.fullmatch(attributes.get("id", "")):
            heading["data"].setdefault("id", attributes["id"])
        elif (anchor := EMPTY_ANCHOR.search(inner)) and ID.fullmatch(name := _anchor_name(read_attributes(anchor[1]))):
            heading["data"].setdefault("id", name)
        return heading

    def _images(self, attributes: dict[str, str], source: str) -> list[Node]:
        images = [image for _, inner in elements(source, "figure") if (image := self._image(inner)) is not None]
        if not images:
            return []
        data: Node = {}
        if attributes.get("align") in ("left", "center", "right"):
            data["align"] = attributes["align"]
        for name, field in (("data-full-width", "fullWidth"), ("data-with-frame", "withFrame")):
            if name in attributes:
                data[field] = attributes[name] != "false"
        return [make.block("images", images, data, isVoid=False)]

    def _image(self, inner: str) -> Node | None:
        found, dark = IMAGE.search(inner), SOURCE.search(inner)
        if found is None:
            return None
        attributes = read_attributes(found[1])
        data = self._inlines.image(attributes, read_attributes(dark[1]).get("srcset") if dark else None)
        if data is None:
            return None
        data |= _sizes(attributes)
        caption = next(elements(inner, "figcaption"), None)
        fragments: list[Node] = []
        if caption is not None and caption[1].strip():
            texts = [text for _, text in elements(caption[1], "p")] or [caption[1]]
            fragments = [make.fragment("caption", [make.paragraph(self._inlines.html(text)) for text in texts])]
        return make.block("image", data=data, fragments=fragments)

    def _code(self, attributes: dict[str, str], inner: str) -> list[Node]:
        found = CODE.fullmatch(inner.strip())
        language = LANGUAGE.search(attributes.get("class", ""))
        data: Node = {"syntax": language[1]} if language else {}
        lines: list[Node] = []
        written = found[1] if found else inner.removeprefix("\n")
        for source in written.removesuffix("\n").split("\n"):
            highlighted = source.startswith("<mark>") and source.endswith("</mark>")
            source = source.removeprefix("<mark>").removesuffix("</mark>") if highlighted else source
            lines.append(make.block("code-line", self._code_line(source), {"highlighted": True} if highlighted else {}))
        return [make.block("code", lines, data)]

    def _code_line(self, source: str) -> list[Node]:
        nodes: list[Node] = []
        for node in self._inlines.html_kept(source):
            if node.get("type") in ("annotation", "expression"):
                nodes.append(node)
            else:
                make.append(nodes, make.texts_of(node))
        return nodes or [make.text("")]


def _sizes(attributes: dict[str, str]) -> Node:
    lengths = {side: read_length(attributes.get(side)) for side in ("width", "height")}
    return {side: length for side, length in lengths.items() if length is not None}


def _anchor_name(attributes: dict[str, str]) -> str:
    """Return the name of an `<a>` that is an anchor; "" for a link."""
    return "" if "href" in attributes else attributes.get("id") or attributes.get("name", "")


def only_anchors(tokens: Sequence[Token]) -> str | None:
    """Return the name of a text that consists of anchors, "" if it cannot be a heading's id; None for other texts."""
    names: list[str] = []
    for token in tokens:
        if token.type == "html_open" and token.tag == "a" and "href" not in read_attributes(token.info):
            names.append(_anchor_name(read_attributes(token.info)))
        elif token.type not in ("softbreak", "html_close") and token.content.strip():
            return None
    return next((name for name in names if ID.fullmatch(name)), "") if names else None


def take_anchor(tokens: list[Token]) -> str | None:
    """Remove the first empty anchor from a heading's tokens; returns its name."""
    for place in range(len(tokens) - 1):
        opening, closing = tokens[place : place + 2]
        if opening.type != "html_open" or opening.tag != "a" or closing.type != "html_close" or closing.tag != "a":
            continue
        name = _anchor_name(read_attributes(opening.info))
        if not ID.fullmatch(name):
            continue
        del tokens[place : place + 2]
        if place < len(tokens) and place == 0 and tokens[0].type == "text":
            tokens[0].content = tokens[0].content.lstrip()
        if place and place == len(tokens) and tokens[-1].type == "text":
            tokens[-1].content = tokens[-1].content.rstrip()
        return name
    return None
