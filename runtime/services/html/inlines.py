"""Converts texts and inlines to HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import escape

from runtime.services.html.targets import Ref, Targets
from runtime.services.markdown.emoji import character_of
from runtime.services.markdown.links import is_safe

Node = Mapping[str, Any]
TAGS = {"bold": "strong", "italic": "em", "strikethrough": "s", "code": "code", "keyboard": "kbd"}
TAGS |= {"superscript": "sup", "subscript": "sub"}
COLORS = frozenset(("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray"))


class InlineWriter:
    """Writes inline content of one document, and collects its annotations for the end."""

    def __init__(self, targets: Targets) -> None:
        """Take the resolver of references."""
        self._targets = targets
        self.notes: list[Sequence[Node]] = []
        self._linked = False

    def html(self, nodes: Any) -> str:
        """Write a line."""
        written: list[str] = []
        for node in objects(nodes):
            if node.get("object") == "text":
                written += [self._leaf(leaf) for leaf in objects(node.get("leaves"))]
                continue
            write = _WRITERS.get(str(node.get("type")))
            written.append(write(self, node) if write else self.html(node.get("nodes")))
        return "".join(written)

    def href(self, ref: Any) -> str | None:
        """Return a link's address; None if it is unsafe or leads nowhere."""
        if not isinstance(ref, dict) or not is_safe(ref):
            return None
        href = self._targets.href(ref)
        return href if href is not None and is_safe({"kind": "url", "url": href}) else None

    def link(self, ref: Any, inner: str) -> str:
        """Wrap HTML in a link; without an address, return only the HTML."""
        href = None if self._linked else self.href(ref)
        return self._anchor(href, inner) if href is not None else inner

    def picture(self, data: Mapping[str, Any], attributes: str = "") -> str:
        """Write a picture, or its description if it cannot be shown."""
        ref, alt = data.get("ref"), text_in(data, "alt")
        source = self._targets.image(ref) if isinstance(ref, dict) else None
        if source is None:
            return f"<em>{escape(alt)}</em>" if alt else ""
        return f'<img src="{escape(source)}" alt="{escape(alt)}"{attributes}>'

    def _leaf(self, leaf: Node) -> str:
        html = str(escape(text_in(leaf, "text"))).replace("\n", "<br>")
        if not html:
            return ""
        for mark in reversed(list(objects(leaf.get("marks")))):
            kind = text_in(mark, "type")
            if kind == "color":
                html = f"<span{_colors(mark.get('data'))}>{html}</span>"
            elif kind in TAGS:
                html = f"<{TAGS[kind]}>{html}</{TAGS[kind]}>"
        return html

    def _link(self, node: Node) -> str:
        ref = data_of(node).get("ref")
        href = None if self._linked else self.href(ref)
        if href is None:
            return self.html(node.get("nodes"))
        self._linked = True
        inner = self.html(node.get("nodes"))
        self._linked = False
        return self._anchor(href, inner)

    def _anchor(self, href: str, inner: str) -> str:
        away = ' target="_blank" rel="noopener noreferrer"' if self._targets.leaves(href) else ""
        return f'<a href="{escape(href)}"{away}>{inner}</a>'

    def _image(self, node: Node) -> str:
        data = data_of(node)
        size = ' class="line"' if data.get("size") == "line" else ""
        return self.picture(data, size)

    def _emoji(self, node: Node) -> str:
        return str(escape(character_of(text_in(data_of(node), "code")) or ""))

    def _icon(self, node: Node) -> str:
        return self._targets.icon(text_in(data_of(node), "icon"))

    def _expression(self, node: Node) -> str:
        return f"<code>{escape(text_in(data_of(node), 'expression'))}</code>"

    def _math(self, node: Node) -> str:
        tex = text_in(data_of(node), "formula")
        return self._targets.formula(tex, display=False) or f'<code class="math">{escape(tex)}</code>'

    def _mention(self, node: Node) -> str:
        ref: Ref = data_of(node).get("ref") or {}
        return self.link(ref, str(escape(self.named(ref))))

    def _button(self, node: Node) -> str:
        data = data_of(node)
        return self.link(data.get("ref"), f'<span class="button">{escape(text_in(data, "label"))}</span>')

    def _annotation(self, node: Node) -> str:
        inner = self.html(node.get("nodes"))
        fragments = list(objects(node.get("fragments")))
        if not fragments or self._linked:
            return inner
        self.notes.append(list(objects(fragments[0].get("nodes"))))
        number = len(self.notes)
        note, back = (escape(self._targets.anchor(f"{which} {number}")) for which in ("note", "annotated"))
        return f'{inner}<sup id="{back}"><a href="#{note}">{number}</a></sup>'

    def named(self, ref: Any) -> str:
        """Return the text of a reference."""
        if not isinstance(ref, dict):
            return ""
        return self._targets.title(ref) or text_in(ref, "url")


def objects(value: Any) -> list[Node]:
    """Return the objects in a list of nodes; stored content may be malformed."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def data_of(node: Node) -> Mapping[str, Any]:
    """Return the data of a node."""
    data = node.get("data")
    return data if isinstance(data, dict) else {}


def text_in(data: Mapping[str, Any], name: str) -> str:
    """Return a string field of an object; empty if it is not a string."""
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _colors(data: Any) -> str:
    data = data if isinstance(data, dict) else {}
    classes = [f"{kind}-{data[kind]}" for kind in ("text", "background") if text_in(data, kind) in COLORS]
    return f' class="{" ".join(classes)}"' if classes else ""


_WRITERS: dict[str, Callable[[InlineWriter, Node], str]] = {
    "link": InlineWriter._link,
    "inline-image": InlineWriter._image,
    "emoji": InlineWriter._emoji,
    "icon": InlineWriter._icon,
    "expression": InlineWriter._expression,
    "inline-math": InlineWriter._math,
    "mention": InlineWriter._mention,
    "button": InlineWriter._button,
    "annotation": InlineWriter._annotation,
}
