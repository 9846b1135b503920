"""Converts documents to Markdown, with the platform's own block syntax."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import attribute, clean, write_attributes, write_length
from runtime.services.markdown.block_rules import LEVELS
from runtime.services.markdown.links import IdLinks, Links
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_html import ID
from runtime.services.markdown.writing_inline import InlineWriter
from runtime.services.markdown.writing_tables import written_table
from runtime.services.markdown.writing_tags import written_tag

Fences = Mapping[str, tuple[str, str, str]]
INFO = re.compile(r"[\w.+#\-]{1,100}")
SIDES = {"start": "left", "center": "center", "end": "right"}
RISKY = re.compile(r"[ \t>]*(?:```|~~~|\{%|\$\$|<)", re.IGNORECASE)
"""Lines of a formula that would mean something else to who looks for the ends of blocks."""


def markdown_of(document: Node, links: Links | None = None, fences: Fences | None = None, top: int = 1) -> str:
    """Convert a valid document (`check_document`) to Markdown, so that `document_of` reads the same document.

    `normal.py` lists what Markdown cannot express. Blocks deeper than `LEVELS` become text; links that would run
    a script become their text. `top` is the number of `#` of the highest heading level.
    """
    writer = _Writer(links or IdLinks(), fences or {}, top)
    written = writer.blocks(document["nodes"], 0)
    notes = writer.notes()
    return "\n\n".join(part for part in (written, notes) if part) + ("\n" if written or notes else "")


class _Writer:
    def __init__(self, links: Links, fences: Fences, top: int) -> None:
        self._inlines, self._top = InlineWriter(links), top
        self._fences = {named: language for language, named in fences.items()}

    def notes(self) -> str:
        """Write all annotations as footnote definitions."""
        self._inlines.in_note = True
        written = []
        for number, body in enumerate(self._inlines.notes, 1):
            text = self.blocks(body, 1)
            plain = bool(body) and body[0]["type"] == "paragraph" and bool(text) and not text.startswith("<p")
            written.append(f"[^{number}]: {_indented(text, 4)}" if plain else f"[^{number}]:\n    {_indented(text, 4)}")
        return "\n\n".join(written)

    def blocks(self, nodes: Sequence[Node], level: int) -> str:
        """Write blocks one below the other; "" for none."""
        if level >= LEVELS:
            texts = [make.text(clean(make.texts_of(node)).replace("\n", " ")) for node in nodes]
            return "\n\n".join(self._inlines.markdown([one]) or "<p></p>" for one in texts)
        written: list[str] = []
        marker = ""
        for node in nodes:
            kind = node["type"]
            if kind.startswith("list-") and kind != "list-item":
                family = kind == "list-ordered"
                # Two lists side by side would be one, were their markers the same.
                marker = (")" if marker == "." else ".") if family else ("-" if marker == "*" else "*")
                text = self._list(node, marker, level)
            else:
                marker = ""
                text = self._block(node, level)
            if text:
                written.append(text)
        return "\n\n".join(written)

    def _block(self, node: Node, level: int) -> str:
        kind = node["type"]
        write = WRITERS.get(kind)
        if write:
            return write(self, node, level)
        if kind == "table":
            return written_table(node, self._inlines)
        if kind == "image":
            return self._images(make.block("images", [node]), level)
        return written_tag(node, self._inlines, lambda nodes, deeper=1: self.blocks(nodes, level + deeper))

    def _paragraph(self, node: Node, level: int) -> str:
        side = SIDES.get(node.get("data", {}).get("align", ""))
        if side:
            return f'<p align="{side}">{self._inlines.html(node["nodes"])}</p>'
        text = self._inlines.markdown(node["nodes"], lines=True)
        alone = (
            text.startswith("![") and len([one for one in node["nodes"] if make.texts_of(one) or "type" in one]) == 1
        )
        if alone:
            # A picture alone in its paragraph would be a block.
            data = next(one for one in node["nodes"] if one.get("type") == "inline-image")["data"]
            return self._inlines.picture(data) or text
        return text or "<p></p>"

    def _heading(self, node: Node, level: int) -> str:
        data, rank = node.get("data", {}), int(node["type"][-1]) + self._top - 1
        anchor = self._anchor(node)
        side = SIDES.get(data.get("align", ""))
        if side:
            return f'<h{rank} align="{side}">{self._inlines.html(node["nodes"])}{anchor}</h{rank}>'
        text = self._inlines.markdown(node["nodes"])
        # `#` behind a space would close the heading.
        text = re.sub(r" (#+)$", r" \\\1", text)
        return f"{'#' * rank} {text}{anchor}".rstrip(" ")

    def _anchor(self, node: Node) -> str:
        name, meta = node.get("data", {}).get("id"), node.get("meta", {}).get("id")
        name = name if isinstance(name, str) and ID.fullmatch(name) else None
        if not name and not meta:
            return ""
        return f" <a{write_attributes({'href': f'#{name or str()}', 'id': name, 'data-meta-id': meta})}></a>"

    def _divider(self, node: Node, level: int) -> str:
        return "***"

    def _quote(self, node: Node, level: int) -> str:
        text = self.blocks(node["nodes"], level + 1)
        return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))

    def _list(self, node: Node, marker: str, level: int) -> str:
        kind = node["type"]
        first = node.get("data", {}).get("start", 1) if kind == "list-ordered" else 1
        first = first if isinstance(first, int) and 0 <= first <= 999_999_999 else 1
        items: list[str] = []
        for place, item in enumerate(node["nodes"]):
            bullet = f"{min(first + place, 999_999_999)}{marker}" if kind == "list-ordered" else marker
            items.append(self._item(item, bullet, kind == "list-tasks", level + 2))
        tight = not any("\n\n" in item for item in items)
        return ("\n" if tight else "\n\n").join(items)

    def _item(self, item: Node, bullet: str, task: bool, level: int) -> str:
        nodes = item["nodes"]
        box = ("[x]" if item.get("data", {}).get("checked") else "[ ]") if task else ""
        head = ""
        if nodes and nodes[0]["type"] == "paragraph" and level < LEVELS:
            text = self._paragraph(nodes[0], level)
            empty = text == "<p></p>" and (len(nodes) == 1 or task)
            if not task or empty or not text.startswith("<p"):
                head, nodes = ("" if empty else text), nodes[1:]
                if empty and not nodes:
                    return f"{bullet} {box}".rstrip()
        indent = len(bullet) + 1
        rest = self.blocks(nodes, level)
        first = " ".join(part for part in (box, head) if part)
        if not first:
            # Behind its marker a block might be read as something else: `* ***` is a divider.
            return f"{bullet}\n{' ' * indent}{_indented(rest, indent)}" if rest else bullet
        whole = f"{first}\n\n{rest}" if rest else first
        if rest.startswith("* ") and nodes[0]["type"] in ("list-unordered", "list-tasks"):
            whole = f"{first}\n{rest}"
        return f"{bullet} {_indented(whole, indent)}"

    def _code(self, node: Node, level: int) -> str:
        data = dict(node.get("data", {}))
        lines = node["nodes"] or [make.block("code-line", [make.text("")])]
        if any(line.get("data", {}).get("highlighted") or _marked(line) for line in lines):
            text = self._marked_code(data, lines)
            if INFO.fullmatch(data.get("syntax") or ""):
                data.pop("syntax")
        else:
            texts = "\n".join(clean(make.texts_of(line)) for line in lines)
            syntax = data.get("syntax") or ""
            if INFO.fullmatch(syntax) and syntax not in self._fences.values():
                data.pop("syntax")
            else:
                syntax = ""
            text = _fenced(texts, syntax)
        named = {name: data[name] for name in ("title", "overflow", "syntax") if isinstance(data.get(name), str)}
        flags = {name: str(data[name]).lower() for name in ("lineNumbers", "fullWidth") if name in data}
        tag = write_attributes(named | flags)
        return f"{{% code{tag} %}}\n{text}\n{{% endcode %}}" if tag else text

    def _marked_code(self, data: Node, lines: Sequence[Node]) -> str:
        written = []
        for line in lines:
            held = [one for one in line["nodes"] if one.get("type") in ("annotation", "expression") or "leaves" in one]
            html = self._inlines.html_kept(held).replace("`", "&#x60;").replace("{", "&#x7b;").replace("<br>", " ")
            html = html.replace("~", "&#x7e;").replace("$", "&#x24;")
            highlighted = line.get("data", {}).get("highlighted")
            written.append(f"<mark>{html}</mark>" if highlighted else html)
        syntax = data.get("syntax")
        plain = isinstance(syntax, str) and INFO.fullmatch(syntax)
        name = f' class="language-{syntax}"' if plain else ""
        return f"<pre{name}><code>" + "\n".join(written) + "\n</code></pre>"

    def _math(self, node: Node, level: int) -> str:
        formula = clean(node["data"]["formula"])
        if not formula.strip() or formula != formula.strip("\n") or any(map(RISKY.match, formula.split("\n"))):
            return f'{{% math formula="{attribute(formula)}" %}}'
        if "$$" in formula or formula != formula.strip() or "\n " in formula or "\t" in formula:
            return f'{{% math formula="{attribute(formula)}" %}}'
        return f"$$\n{formula}\n$$"

    def _images(self, node: Node, level: int) -> str:
        data = node.get("data", {})
        figures = [figure for image in node["nodes"] if (figure := self._figure(image))]
        if not figures:
            return ""
        attributes = {"align": data.get("align")}
        for name, field in (("data-full-width", "fullWidth"), ("data-with-frame", "withFrame")):
            if field in data:
                attributes[name] = str(bool(data[field])).lower()
        tag = write_attributes(attributes)
        return figures[0] if not tag and len(figures) == 1 else f"<div{tag}>{' '.join(figures)}</div>"

    def _figure(self, image: Node) -> str:
        data = image["data"]
        sides = {side: write_length(data[side]) for side in ("width", "height") if side in data}
        picture = self._inlines.picture(data, sides)
        paragraphs = [inner for one in image.get("fragments", ()) for inner in one["nodes"] if inner.get("nodes")]
        caption = "".join(f"<p>{self._inlines.html(one['nodes'])}</p>" for one in paragraphs)
        inner = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f"<figure>{picture}{inner}</figure>" if picture else ""

    def _integration(self, node: Node, level: int) -> str:
        data = node["data"]
        for (integration, block, field), language in self._fences.items():
            held = data.get("props", {})
            same = (data["integration"], data["block"]) == (integration, block) and set(held) == {field}
            if same and isinstance(held[field], str) and set(data) == {"integration", "block", "props"}:
                return _fenced(clean(held[field]), language)
        return written_tag(node, self._inlines, lambda nodes, deeper=1: "")


WRITERS: dict[str, Callable[[_Writer, Node, int], str]] = {
    "paragraph": _Writer._paragraph,
    "heading-1": _Writer._heading,
    "heading-2": _Writer._heading,
    "heading-3": _Writer._heading,
    "divider": _Writer._divider,
    "blockquote": _Writer._quote,
    "code": _Writer._code,
    "math": _Writer._math,
    "images": _Writer._images,
    "integration": _Writer._integration,
}


def _marked(line: Node) -> bool:
    return any(one.get("type") in ("annotation", "expression") for one in line["nodes"])


def _fenced(content: str, syntax: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{syntax}\n{content}\n{fence}"


def _indented(text: str, width: int) -> str:
    """Indent all lines but the first; empty ones stay empty."""
    first, *others = text.split("\n")
    return "\n".join([first, *(" " * width + line if line else line for line in others)])
