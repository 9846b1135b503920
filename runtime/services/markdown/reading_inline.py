"""Converts inline tokens to inlines and texts of a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean, read_attributes, unescape
from runtime.services.markdown.emoji import CODE, code_of
from runtime.services.markdown.inline_rules import MARK_TAGS, UNMARKED_TAGS
from runtime.services.markdown.links import LinkReader, known
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.parser import html_parser

MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}
COLORS = frozenset(("default", "green", "blue", "red", "orange", "yellow", "purple"))
COLORS |= {f"${name}" for name in ("primary", "info", "success", "warning", "danger")}
PICTURES = ("url", "file")
"""Kinds of reference that may be a picture."""
ICON = re.compile(r"fa-([\w\-]{1,50})(?:\s.*)?")
FOOTNOTE_ANCHOR = "user-content-fn-"


class InlineReader:
    """Reads inline text of one document, with its link references and footnotes."""

    def __init__(self, links: LinkReader, size: int) -> None:
        self._links = links
        self._left = 2 * size + 100_000
        self.body_of: Callable[[str], list[Node] | None] = lambda label: None
        """Gives the body of a footnote, or None where it may not be given (again)."""

    def spend(self, size: int) -> bool:
        """Count the text that link references expand to; False when a document has reached its limit."""
        self._left -= size
        return self._left >= 0

    def html(self, source: str) -> list[Node]:
        """Read the text of an HTML element, without Markdown."""
        return self.html_kept(" ".join(line.strip(" \t") for line in source.strip(" \t\n").split("\n")))

    def html_kept(self, source: str) -> list[Node]:
        """Read the text of an HTML element, keeping all whitespace."""
        return self.read(html_tokens(source))

    def read(self, tokens: Sequence[Token]) -> list[Node]:
        """Read inline tokens; the result has at least an empty text."""
        nodes = _Line(self, self._links).read(tokens)
        return nodes or [make.text("")]

    def image(self, attributes: dict[str, str], dark: str | None = None) -> Node | None:
        """Read a picture's `ref`, `refDark` and `alt`; None if its address is unsafe."""
        ref = known(self._links, attributes.get("src", ""), PICTURES)
        if ref is None:
            return None
        data: Node = {"ref": ref}
        ref_dark = known(self._links, dark, PICTURES) if dark is not None else None
        if ref_dark is not None:
            data["refDark"] = ref_dark
        if attributes.get("alt"):
            data["alt"] = attributes["alt"]
        return data


def html_tokens(source: str) -> list[Token]:
    """Split the text of an HTML element into tokens."""
    return [child for token in html_parser().parseInline(source, {}) for child in token.children or ()]


class _Line:
    def __init__(self, reader: InlineReader, links: LinkReader) -> None:
        self._reader, self._links = reader, links
        self._nodes: list[Node] = []
        self._into = self._nodes  # a link's own nodes while one is open
        self._marks: dict[str, list[Node]] = {}  # those that are open, by their types, the outermost first
        self._opened: list[bool] = []  # for each link open: whether it became one

    def read(self, tokens: Sequence[Token]) -> list[Node]:
        plain = _unpaired(tokens)
        for place, token in enumerate(tokens):
            if place in plain:
                self._text(token.markup)
            else:
                self._token(token, token.type.removesuffix("_open").removesuffix("_close"))
        return self._nodes

    def _token(self, token: Token, name: str) -> None:
        if name in MARKS:
            self._mark(make.mark(MARKS[name]), token.nesting)
        elif token.type == "link_open":
            self._open(str(token.attrGet("href") or ""), token.attrGet("title") == "mention")
        elif token.type == "link_close" or (token.type == "html_close" and token.tag == "a"):
            if self._opened.pop():
                self._into = self._nodes
        elif name == "html":
            self._tag(token)
        elif token.type in ("softbreak", "hardbreak", "html_break"):
            self._text(" " if token.type == "softbreak" else "\n")
        elif token.type == "code_inline":
            held = self._held()
            self._text(token.content, held if "code" in self._marks else [*held, make.mark("code")])
        else:
            read = READERS.get(token.type)
            node = read(self, token) if read else None
            if node is not None:
                self._add(node)
            else:
                self._text(token.markup if read else token.content)

    def _held(self) -> list[Node]:
        """Return the current marks: of each type only the outermost one."""
        return [marks[0] for marks in self._marks.values()]

    def _text(self, content: str, marks: list[Node] | None = None) -> None:
        make.append(self._into, clean(content), self._held() if marks is None else marks)

    def _add(self, node: Node) -> None:
        if self._into is self._nodes or node["type"] == "inline-image":
            self._into.append(node)
        else:
            self._text(make.texts_of(node))

    def _mark(self, one: Node, nesting: int) -> None:
        kind = one["type"]
        if nesting > 0:
            self._marks.setdefault(kind, []).append(one)
        elif kind in self._marks:
            self._marks[kind].pop()
            if not self._marks[kind]:
                del self._marks[kind]

    def _open(self, target: str | None, mention: bool = False) -> None:
        fits = target is not None and self._into is self._nodes and self._reader.spend(len(target))
        ref = known(self._links, target) if fits and target is not None else None
        if ref is None:
            self._opened.append(False)
            return
        self._opened.append(True)
        link = make.inline("link", {"ref": ref}, [])
        self._nodes.append(link)
        self._into = link["nodes"]
        if mention:
            self._nodes[-1] = make.inline("mention", {"ref": ref})

    def _tag(self, token: Token) -> None:
        nesting = token.meta["nesting"]
        if token.tag == "a":
            self._open(read_attributes(token.info).get("href"))
        elif token.tag not in UNMARKED_TAGS:
            kind = MARK_TAGS[token.tag]
            one = make.mark(kind)
            if kind == "color" and nesting > 0:
                one["data"] = _colors(read_attributes(token.info).get("style", ""))
            self._mark(one, nesting)

    def _image(self, token: Token) -> Node | None:
        if token.type == "image":
            attributes = {"src": str(token.attrGet("src") or ""), "alt": _alt(token)}
            attributes |= {"title": clean(str(token.attrGet("title") or ""))}
            dark = None
            token.markup = attributes["alt"]
        else:
            attributes = read_attributes(token.info)
            dark = read_attributes(token.content).get("srcset") if token.content else None
        data = self._reader.image(attributes, dark) if self._reader.spend(len(attributes.get("src", ""))) else None
        if data is None:
            return None
        if attributes.get("title"):
            data["caption"] = attributes["title"]
        if attributes.get("data-size") in ("original", "line"):
            data["size"] = attributes["data-size"]
        return make.inline("inline-image", data)

    def _expression(self, token: Token) -> Node | None:
        return make.inline("expression", {"expression": unescape(token.content)})

    def _icon(self, token: Token) -> Node | None:
        match = ICON.fullmatch(read_attributes(token.info).get("class", ""))
        return make.inline("icon", {"icon": match[1]}) if match else None

    def _formula(self, token: Token) -> Node | None:
        written = clean(token.content) if token.tag == "" else unescape(token.content)
        return make.inline("inline-math", {"formula": written})

    def _emoji(self, token: Token) -> Node | None:
        return make.inline("emoji", {"code": code_of(token.content)})

    def _custom(self, token: Token) -> Node | None:
        attributes = read_attributes(token.info)
        code = attributes.get("data-code", "")
        found = attributes.get("data-tag") == "emoji" and CODE.fullmatch(code)
        return make.inline("emoji", {"code": code}) if found else None

    def _button(self, token: Token) -> Node | None:
        attributes = read_attributes(token.info)
        ref = known(self._links, attributes.get("href", ""))
        if ref is None:
            return None
        kind = "secondary" if "secondary" in attributes["class"].split() else "primary"
        data: dict[str, Any] = {"label": unescape(token.content), "kind": kind, "ref": ref}
        if attributes.get("data-icon"):
            data["icon"] = attributes["data-icon"]
        return make.inline("button", data)

    def _reference(self, token: Token) -> Node | None:
        attributes = read_attributes(token.info)
        target = attributes.get("href", "")
        if "data-mention" in attributes:
            ref = known(self._links, target)
            return make.inline("mention", {"ref": ref}) if ref else None
        if not target.startswith("#" + FOOTNOTE_ANCHOR):
            return None
        body = self._reader.body_of(target.removeprefix("#" + FOOTNOTE_ANCHOR))
        if body is None:
            return None
        return _annotation(body, [node for node in self._reader.html(token.content) if node["object"] == "text"])

    def _footnote(self, token: Token) -> Node | None:
        body = self._reader.body_of(token.content)
        if body is None:
            return None
        last = self._nodes[-1] if self._nodes else {}
        if last.get("type") == "link" and _anchor(last) == FOOTNOTE_ANCHOR + token.content:
            texts = [node for node in self._nodes.pop()["nodes"] if node["object"] == "text"]
            return _annotation(body, texts)
        return _annotation(body, [])


def _alt(token: Token) -> str:
    return clean("".join(child.content or " " * child.type.endswith("break") for child in token.children or ()))


def _anchor(link: Node) -> str | None:
    ref = link["data"]["ref"]
    return ref.get("anchor") if set(ref) == {"kind", "anchor"} else None


def _annotation(body: list[Node], texts: list[Node]) -> Node:
    texts = [node for node in texts if make.texts_of(node)]
    annotation = make.inline("annotation", {}, texts, fragments=[{**make.fragment("annotation-body", body)}])
    return {**annotation, "isVoid": False}


READERS: dict[str, Callable[[_Line, Token], Node | None]] = {
    "image": _Line._image,
    "html_image": _Line._image,
    "expression": _Line._expression,
    "icon": _Line._icon,
    "formula": _Line._formula,
    "emoji": _Line._emoji,
    "custom": _Line._custom,
    "button": _Line._button,
    "reference": _Line._reference,
    "footnote": _Line._footnote,
    "option": lambda line, token: None,
}
"""Types of tokens that are one inline -> what reads it; None of it leaves the text as it was written."""


def _unpaired(tokens: Sequence[Token]) -> set[int]:
    """Find unmatched tags, nested links and unsafe links, all of which stay text."""
    plain: set[int] = set()
    opened: dict[str, list[int]] = {}
    within = 0
    for place, token in enumerate(tokens):
        within += token.nesting if token.type.startswith("link") else 0
        if token.type == "html_open":
            unfit = token.tag == "a" and (within or opened.get("a") or not _leads(token))
            if unfit:
                plain.add(place)
            else:
                opened.setdefault(token.tag, []).append(place)
        elif token.type == "html_close":
            if opened.get(token.tag) and not (token.tag == "a" and within):
                opened[token.tag].pop()
            else:
                plain.add(place)
    for places in opened.values():
        plain.update(places)
    return plain


def _leads(token: Token) -> bool:
    """Return whether an `<a>` has a safe target or is an anchor."""
    attributes = read_attributes(token.info)
    if "href" not in attributes:
        return "id" in attributes or "name" in attributes
    return known(_URLS, attributes["href"]) is not None


class _Urls:
    def read(self, target: str) -> Node:
        return {"kind": "url", "url": target}

    def write(self, ref: Node) -> str:
        return str(ref["url"])


_URLS = _Urls()


def _colors(style: str) -> Node:
    found = {"color": "default", "background-color": "default"}
    for part in style.split(";")[:10]:
        name, _, value = part.partition(":")
        if name.strip() in found and value.strip() in COLORS:
            found[name.strip()] = value.strip()
    return {"text": found["color"], "background": found["background-color"]}
