"""Inlines and texts of a document -> a line of Markdown, or of HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from markdown_it.common.utils import isPunctChar, isWhiteSpace

from runtime.services.markdown import escaping
from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import attribute, clean, write_attributes
from runtime.services.markdown.emoji import character_of, name_of
from runtime.services.markdown.links import Links, is_safe
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_inline import COLORS, FOOTNOTE_ANCHOR

DELIMITERS = {"bold": "**", "italic": "_", "strikethrough": "~~"}
TAGS = {"bold": "strong", "italic": "em", "strikethrough": "del", "code": "code", "keyboard": "kbd", "color": "mark"}
TAGS |= {"superscript": "sup", "subscript": "sub"}


class Part(NamedTuple):
    """A piece of a line; one that opens or closes a mark is written when its neighbors are known."""

    written: str
    opens: Node | None = None
    closes: int = -1  # the place of the part that it closes


class InlineWriter:
    """Writes text of one document, and keeps the bodies of its annotations for the end."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self.notes: list[list[Node]] = []
        self.in_note = False
        """Whether the text is of a footnote: in one, there are no others."""

    def markdown(self, nodes: Sequence[Node], lines: bool = False) -> str:
        """Write nodes as a line of Markdown; with `lines`, it may contain line breaks."""
        return escaping.whole(_Line(self, self._links, html=False, lines=lines).write(nodes))

    def html(self, nodes: Sequence[Node]) -> str:
        """Write the text of an HTML element."""
        return escaping.keep_ends(self.html_kept(nodes))

    def html_kept(self, nodes: Sequence[Node]) -> str:
        """Write the text of an HTML element that keeps its whitespace."""
        return _Line(self, self._links, html=True, lines=False).write(nodes)

    def target(self, ref: Any) -> str | None:
        """Write a reference as a link target; None if it is unsafe."""
        if not isinstance(ref, dict) or not is_safe(ref):
            return None
        target = self._links.write(ref)
        return target if is_safe({"kind": "url", "url": target}) else None

    def picture(self, data: Node, more: dict[str, Any] | None = None) -> str | None:
        """Write `<img>`, in a `<picture>` if there is one for dark mode; None if its address is unsafe."""
        target = self.target(data.get("ref"))
        if target is None:
            return None
        shown = f"<img{write_attributes({'src': target, 'alt': data.get('alt') or '', **(more or {})})}>"
        dark = self.target(data["refDark"]) if data.get("refDark") else None
        if dark is None:
            return shown
        source = write_attributes({"srcset": dark, "media": "(prefers-color-scheme: dark)"})
        return f"<picture><source{source}>{shown}</picture>"


class _Line:
    def __init__(self, writer: InlineWriter, links: Links, html: bool, lines: bool) -> None:
        self._writer, self._links = writer, links
        self._html, self._lines = html, lines
        self._parts: list[Part] = []
        self._open: list[tuple[Node, int]] = []
        self._linked = False

    def write(self, nodes: Sequence[Node]) -> str:
        self._nodes(nodes)
        return _joined(self._parts, self._html)

    def _nodes(self, nodes: Sequence[Node]) -> None:
        held: list[Node] = []
        for node in nodes:
            # Texts that stand side by side are one text.
            if node["object"] == "text":
                for leaf in node["leaves"]:
                    make.append(held, clean(leaf["text"]), _marks(leaf["marks"]))
            else:
                held.append(node)
        for node in held:
            if node["object"] == "text":
                for leaf in node["leaves"]:
                    self._leaf(leaf["text"], leaf["marks"])
            else:
                self._close(0)
                WRITERS[node["type"]](self, node)
        self._close(0)

    def _raw(self, written: str) -> None:
        self._parts.append(Part(written))

    def _leaf(self, text: str, marks: list[Node]) -> None:
        as_span = bool(marks) and marks[-1]["type"] == "code" and not self._html and "\n" not in text
        wanted = marks[:-1] if as_span else marks
        same = 0
        while same < min(len(wanted), len(self._open)) and self._open[same][0] == wanted[same]:
            same += 1
        self._close(same)
        for one in wanted[same:]:
            self._open.append((one, len(self._parts)))
            self._parts.append(Part("", opens=one))
        if as_span:
            self._raw(escaping.code_span(text))
        else:
            self._raw(escaping.in_html(text) if self._html else escaping.in_markdown(text, self._lines))

    def _close(self, keep: int) -> None:
        while len(self._open) > keep:
            one, place = self._open.pop()
            self._parts.append(Part("", opens=one, closes=place))

    def _text(self, text: str) -> None:
        if text:
            self._leaf(text, [])
            self._close(0)

    def _link(self, node: Node) -> None:
        target = None if self._linked else self._writer.target(node["data"].get("ref"))
        if target is None:
            self._nodes(node["nodes"])
            return
        self._linked = True
        self._raw(f'<a href="{attribute(target)}">' if self._html else "[")
        self._nodes([inner for inner in node["nodes"] if inner["object"] == "text" or inner["type"] == "inline-image"])
        self._raw("</a>" if self._html else f"]({escaping.target(target)})")
        self._linked = False

    def _image(self, node: Node) -> None:
        data = node["data"]
        alt, caption, size = data.get("alt") or "", data.get("caption"), data.get("size")
        target = self._writer.target(data.get("ref"))
        if target is not None and not (self._html or caption or size or data.get("refDark")):
            self._raw(f"![{escaping.in_alternative(alt)}]({escaping.target(target)})")
            return
        more = {"title": caption or None, "data-size": size}
        picture = self._writer.picture(data, more)
        if picture is None:
            self._text(alt)
        else:
            self._raw(picture)

    def _emoji(self, node: Node) -> None:
        code = node["data"]["code"]
        name = None if self._html else name_of(code)
        if name:
            self._raw(f":{name}:")
        elif character_of(code):
            tag = write_attributes({"data-gb-custom-inline": True, "data-tag": "emoji", "data-code": code})
            self._raw(f"<span{tag}>{escaping.raw_in_html(character_of(code))}</span>")

    def _icon(self, node: Node) -> None:
        icon = node["data"]["icon"]
        self._raw(f'<i class="fa-{attribute(icon)}">:{escaping.raw_in_html(icon)}:</i>')

    def _expression(self, node: Node) -> None:
        self._raw(f'<code class="expression">{escaping.raw_in_html(node["data"]["expression"])}</code>')

    def _math(self, node: Node) -> None:
        formula = clean(node["data"]["formula"])
        odd = not formula or formula != formula.strip() or "\n" in formula or "$$" in formula
        if self._html or odd or formula[0] == "$" or formula[-1] == "$":
            self._raw(f'<span class="math">{escaping.raw_in_html(formula)}</span>')
        else:
            self._raw(f"$${formula}$$")

    def _mention(self, node: Node) -> None:
        target = self._writer.target(node["data"].get("ref"))
        if target is None:
            self._text(str(node["data"].get("ref", {}).get("url", "")))
        elif self._html:
            self._raw(f'<a data-mention href="{attribute(target)}">{escaping.raw_in_html(target)}</a>')
        else:
            self._raw(f'[{escaping.in_markdown(target, False)}]({escaping.target(target)} "mention")')

    def _button(self, node: Node) -> None:
        data = node["data"]
        target = self._writer.target(data.get("ref"))
        if target is None:
            self._text(data["label"])
            return
        attributes = {"href": target, "data-icon": data.get("icon")}
        tag = f' class="button {attribute(data["kind"])}"' + write_attributes(attributes)
        self._raw(f"<a{tag}>{escaping.raw_in_html(data['label'])}</a>")

    def _annotation(self, node: Node) -> None:
        if self._writer.in_note or self._linked or not node.get("fragments"):
            self._nodes(node["nodes"])
            return
        self._writer.notes.append(node["fragments"][0]["nodes"])
        number = len(self._writer.notes)
        anchor = f"#{FOOTNOTE_ANCHOR}{number}"
        texts = [one for one in node["nodes"] if make.texts_of(one)]
        # At the start of a line `[^1]` may be a definition, and behind a link the link's text is what is annotated.
        odd = not self._parts or self._parts[-1].written.endswith(")")
        if self._html or (not texts and odd):
            inner = _Line(self._writer, self._links, html=True, lines=False).write(texts)
            self._raw(f'<a data-footnote-ref href="{anchor}">{inner}</a>')
            return
        if texts:
            self._link({"data": {"ref": {"kind": "anchor", "anchor": anchor[1:]}}, "nodes": texts})
        self._raw(f"[^{number}]")


WRITERS: dict[str, Callable[[_Line, Node], None]] = {
    "link": _Line._link,
    "inline-image": _Line._image,
    "emoji": _Line._emoji,
    "icon": _Line._icon,
    "expression": _Line._expression,
    "inline-math": _Line._math,
    "mention": _Line._mention,
    "button": _Line._button,
    "annotation": _Line._annotation,
}


def _marks(marks: Sequence[Node]) -> list[Node]:
    """Return the marks that Markdown can say: each kind once, and of colors those there are."""
    held: list[Node] = []
    for one in marks:
        if any(one["type"] == other["type"] for other in held):
            continue
        if one["type"] == "color":
            data = one.get("data", {})
            colors = {
                name: data.get(name) if data.get(name) in COLORS else "default" for name in ("text", "background")
            }
            one = {**make.mark("color"), "data": colors}
        held.append(one if one["type"] == "color" else make.mark(one["type"]))
    return held


def _joined(parts: Sequence[Part], html: bool) -> str:
    """Write marks as delimiters where these are read as such, and as tags elsewhere."""
    as_delimiter: set[int] = set()
    for place, part in enumerate(parts):
        if part.closes >= 0 and part.opens is not None and not html and part.opens["type"] in DELIMITERS:
            begin = _flanks(parts, part.closes)
            end = _flanks(parts, place)
            low = part.opens["type"] == "italic"
            if _opens(begin, low) and _opens(end[::-1], low):
                as_delimiter |= {place, part.closes}
    written: list[str] = []
    for place, part in enumerate(parts):
        if part.opens is None:
            written.append(part.written)
        elif place in as_delimiter:
            written.append(DELIMITERS[part.opens["type"]])
        else:
            written.append(_tag(part.opens, part.closes >= 0))
    return "".join(written)


def _tag(mark: Node, closes: bool) -> str:
    tag = TAGS[mark["type"]]
    if closes:
        return f"</{tag}>"
    colors = mark.get("data", {})
    named = (("color", colors.get("text")), ("background-color", colors.get("background")))
    style = "".join(f"{name}:{color};" for name, color in named if color and color != "default")
    return f'<{tag} style="{style}">' if style else f"<{tag}>"


def _flanks(parts: Sequence[Part], place: int) -> tuple[str, str]:
    """Return the characters beside a delimiter; a space for the end of a line, and a delimiter or tag counts as `*`."""
    before = "*" if place and parts[place - 1].opens else parts[place - 1].written[-1:] if place else " "
    behind = "*" if place + 1 < len(parts) and parts[place + 1].opens else ""
    if not behind:
        behind = parts[place + 1].written[:1] if place + 1 < len(parts) else " "
    return before or " ", behind or " "


def _opens(beside: tuple[str, str], low: bool) -> bool:
    """Whether a delimiter between two characters opens (for the reverse pair: closes), as CommonMark says."""
    outside, inside = beside
    left = not _space(inside) and (not _punctuation(inside) or _space(outside) or _punctuation(outside))
    right = not _space(outside) and (not _punctuation(outside) or _space(inside) or _punctuation(inside))
    return left and (not low or not right or _punctuation(outside))


def _space(character: str) -> bool:
    return isWhiteSpace(ord(character))


def _punctuation(character: str) -> bool:
    return isPunctChar(character) or (character.isascii() and not character.isalnum() and not character.isspace())
