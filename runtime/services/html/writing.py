"""Converts a document to HTML: all text is escaped, all addresses are checked, without scripts, styles and forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import escape

from runtime.contract.slugs import Slugs, slug_of
from runtime.services.html.inlines import InlineWriter, Node, data_of, objects, text_in
from runtime.services.html.tables import table
from runtime.services.html.targets import Targets
from runtime.services.markdown.nodes import texts_of

LEVELS = 40
"""How deep blocks may stand inside each other; deeper ones become text."""
SIDES = {"start": "left", "center": "center", "end": "right"}
STYLES = {"info": "Note", "warning": "Warning", "danger": "Danger", "success": "Tip"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that was written: `level` is 1 to 3, `anchor` the id of its element."""

    level: int
    anchor: str
    title: str


def html_of(document: Node, targets: Targets, *, heading: int = 2, outline: list[Heading] | None = None) -> str:
    """Convert a document; `heading` is the highest heading level, and headings are added to `outline`."""
    writer = _Writer(targets, heading, outline if outline is not None else [])
    written = writer.blocks(document.get("nodes"), 0)
    return written + writer.notes()


class _Writer:
    def __init__(self, targets: Targets, heading: int, outline: list[Heading]) -> None:
        self._targets, self._first, self._outline = targets, heading, outline
        self._inlines = InlineWriter(targets)
        self._anchors = Slugs()

    def notes(self) -> str:
        """Write the collected annotations."""
        items: list[str] = []
        for number, nodes in enumerate(self._inlines.notes, 1):  # one may hold another, which comes behind
            note, back = (escape(self._targets.anchor(f"{which} {number}")) for which in ("note", "annotated"))
            inner = self.blocks(list(nodes), 1)
            items.append(f'<li id="{note}">{inner}<a href="#{back}" class="back">↩</a></li>')
            if len(items) >= 1000:
                break
        return f'<ol class="notes">{"".join(items)}</ol>' if items else ""

    def blocks(self, nodes: Any, level: int) -> str:
        """Write blocks."""
        if level >= LEVELS:
            return "".join(f"<p>{escape(texts_of(dict(node)))}</p>" for node in objects(nodes))
        return "".join(self._block(node, level) for node in objects(nodes))

    def _block(self, node: Node, level: int) -> str:
        write = _WRITERS.get(str(node.get("type")))
        if write is not None:
            return write(self, node, level)
        return self._targets.block(node) or self.blocks(node.get("nodes"), level + 1)

    def _paragraph(self, node: Node, level: int) -> str:
        inner = self._inlines.html(node.get("nodes"))
        return f"<p{_aligned(node)}>{inner}</p>" if inner else ""

    def _heading(self, node: Node, level: int) -> str:
        rank = min(6, int(str(node["type"])[-1]) + self._first - 1)
        named = text_in(data_of(node), "id")
        title = texts_of(dict(node))
        own = self._anchors.take(slug_of(title))
        self._outline.append(Heading(int(str(node["type"])[-1]), self._targets.anchor(own), title))
        anchors = [escape(self._targets.anchor(one)) for one in dict.fromkeys((own, named)) if one]
        others = "".join(f'<a id="{one}"></a>' for one in anchors[1:])
        return f'<h{rank} id="{anchors[0]}"{_aligned(node)}>{others}{self._inlines.html(node.get("nodes"))}</h{rank}>'

    def _list(self, node: Node, level: int) -> str:
        kind = node["type"]
        items = []
        for item in objects(node.get("nodes")):
            box = ("☑ " if data_of(item).get("checked") is True else "☐ ") if kind == "list-tasks" else ""
            items.append(f"<li>{box}{self.blocks(item.get('nodes'), level + 1)}</li>")
        tag = "ol" if kind == "list-ordered" else "ul"
        first = data_of(node).get("start")
        start = f' start="{first}"' if tag == "ol" and isinstance(first, int) and not isinstance(first, bool) else ""
        tasks = ' class="tasks"' if kind == "list-tasks" else ""
        return f"<{tag}{start}{tasks}>{''.join(items)}</{tag}>"

    def _divider(self, node: Node, level: int) -> str:
        return "<hr>"

    def _quote(self, node: Node, level: int) -> str:
        return f"<blockquote>{self.blocks(node.get('nodes'), level + 1)}</blockquote>"

    def _hint(self, node: Node, level: int) -> str:
        style = text_in(data_of(node), "style")
        style = style if style in STYLES else "info"
        inner = self.blocks(node.get("nodes"), level + 1)
        return f'<aside class="hint {style}" role="note"><p class="label">{STYLES[style]}</p>{inner}</aside>'

    def _code(self, node: Node, level: int) -> str:
        data, lines = data_of(node), objects(node.get("nodes"))
        text = "\n".join(texts_of(dict(line)) for line in lines)
        title = text_in(data, "title")
        head = f"<figcaption>{escape(title)}</figcaption>" if title else ""
        inner = self._targets.colored(text, text_in(data, "syntax"))
        if data.get("lineNumbers") is True:
            numbered = inner.split("\n")
            inner = "\n".join(f'<span class="line">{line}</span>' for line in numbered)
            return f'<figure class="code numbered">{head}<pre tabindex="0"><code>{inner}</code></pre></figure>'
        return f'<figure class="code">{head}<pre tabindex="0"><code>{inner}</code></pre></figure>'

    def _math(self, node: Node, level: int) -> str:
        tex = text_in(data_of(node), "formula")
        return self._targets.formula(tex, display=True) or f'<pre class="math" tabindex="0">{escape(tex)}</pre>'

    def _images(self, node: Node, level: int) -> str:
        nodes = [node] if node["type"] == "image" else objects(node.get("nodes"))
        return "".join(self._figure(image, level) for image in nodes)

    def _figure(self, image: Node, level: int) -> str:
        data = data_of(image)
        picture = self._inlines.picture(data, _sizes(data))
        fragments = objects(image.get("fragments"))
        caption = "".join(self.blocks(one.get("nodes"), level + 1) for one in fragments)
        inner = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f"<figure>{picture}{inner}</figure>" if picture or inner else ""

    def _file(self, node: Node, level: int) -> str:
        ref = data_of(node).get("ref")
        return f'<p class="file">{self._inlines.link(ref, str(escape(self._inlines.named(ref) or "File")))}</p>'

    def _drawing(self, node: Node, level: int) -> str:
        picture = self._inlines.picture(data_of(node))
        return f"<figure>{picture}</figure>" if picture else ""

    def _embed(self, node: Node, level: int) -> str:
        drawn = self._targets.block(node)
        if drawn is not None:
            return drawn
        url = text_in(data_of(node), "url")
        inner = self._inlines.link({"kind": "url", "url": url}, str(escape(url)))
        caption = "".join(self.blocks(one.get("nodes"), level + 1) for one in objects(node.get("fragments")))
        return f'<p class="embed">{inner}</p>{caption}'

    def _expandable(self, node: Node, level: int) -> str:
        parts = {text_in(one, "fragment"): one.get("nodes") for one in objects(node.get("fragments"))}
        title = self.blocks(parts.get("expandable-title"), level + 1)
        body = self.blocks(parts.get("expandable-body"), level + 1)
        return f'<section class="expandable"><div class="label">{title}</div>{body}</section>'

    def _tabs(self, node: Node, level: int) -> str:
        written = []
        for item in objects(node.get("nodes")):
            title = escape(text_in(data_of(item), "title"))
            inner = self.blocks(item.get("nodes"), level + 1)
            written.append(f'<section class="tab"><p class="label">{title}</p>{inner}</section>')
        return f'<div class="tabs">{"".join(written)}</div>'

    def _stepper(self, node: Node, level: int) -> str:
        steps = [f"<li>{self.blocks(step.get('nodes'), level + 1)}</li>" for step in objects(node.get("nodes"))]
        return f'<ol class="steps">{"".join(steps)}</ol>'

    def _columns(self, node: Node, level: int) -> str:
        inner = [self.blocks(column.get("nodes"), level + 1) for column in objects(node.get("nodes"))]
        return f'<div class="columns">{"".join(f"<div>{one}</div>" for one in inner)}</div>'

    def _pointer(self, node: Node, level: int) -> str:
        ref = data_of(node).get("ref")
        title = escape(self._inlines.named(ref) or "Page")
        return f'<p class="pointer">{self._inlines.link(ref, str(title))}</p>'

    def _operation(self, node: Node, level: int) -> str:
        drawn = self._targets.block(node)
        if drawn is not None:
            return drawn
        data = data_of(node)
        words = [text_in(data, "method").upper(), text_in(data, "path") or text_in(data, "name")]
        schemas = data.get("schemas")
        words += [one for one in schemas if isinstance(one, str)] if isinstance(schemas, list) else []
        return f'<p class="operation"><code>{escape(" ".join(word for word in words if word))}</code></p>'

    def _table(self, node: Node, level: int) -> str:
        return table(node, self._inlines, lambda nodes: self.blocks(nodes, level + 1))


def _aligned(node: Node) -> str:
    side = SIDES.get(text_in(data_of(node), "align"))
    return f' class="{side}"' if side is not None and side != "left" else ""


def _sizes(data: Any) -> str:
    written = ""
    for name in ("width", "height"):
        value = data.get(name)
        number = value.get("value") if isinstance(value, dict) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < 10_000:
            percent = isinstance(value, dict) and value.get("unit") == "%"
            written += f' {name}="{number:g}{"%" if percent else ""}"'
    return written


_WRITERS: dict[str, Callable[[_Writer, Node, int], str]] = {
    "paragraph": _Writer._paragraph,
    "heading-1": _Writer._heading,
    "heading-2": _Writer._heading,
    "heading-3": _Writer._heading,
    "list-ordered": _Writer._list,
    "list-unordered": _Writer._list,
    "list-tasks": _Writer._list,
    "divider": _Writer._divider,
    "blockquote": _Writer._quote,
    "hint": _Writer._hint,
    "code": _Writer._code,
    "math": _Writer._math,
    "images": _Writer._images,
    "image": _Writer._images,
    "file": _Writer._file,
    "drawing": _Writer._drawing,
    "embed": _Writer._embed,
    "expandable": _Writer._expandable,
    "tabs": _Writer._tabs,
    "stepper": _Writer._stepper,
    "columns": _Writer._columns,
    "content-ref": _Writer._pointer,
    "openapi-operation": _Writer._operation,
    "openapi-webhook": _Writer._operation,
    "openapi-schemas": _Writer._operation,
    "swagger": _Writer._operation,
    "table": _Writer._table,
}
