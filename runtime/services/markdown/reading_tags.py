"""Reads the platform's own block syntax, `{% name attributes %}`, and `<details>`."""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it.token import Token

from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import clean, read_attributes, read_json, read_length, unescape
from runtime.services.markdown.fitting import fit
from runtime.services.markdown.links import LinkReader, is_safe, known
from runtime.services.markdown.nodes import Node
from runtime.services.markdown.reading_inline import InlineReader

SUMMARY = re.compile(r"<summary>(.*)</summary>", re.IGNORECASE)
TARGET = re.compile(r'[ \t]*"([^"]*)"|[ \t]*(\S+)')
ONLY_EXPRESSION = re.compile(r'expression="([^"]*)"')
STYLES = ("info", "warning", "danger", "success")
OWN = ("data-url", "data-full-width", "data-action:json", "props:json")


class TagReader:
    """Converts tags to blocks; unknown and unsafe tags become text, followed by the blocks in them."""

    def __init__(self, inlines: InlineReader, links: LinkReader) -> None:
        self._inlines, self._links = inlines, links

    def block(self, token: Token, nodes: list[Node]) -> list[Node]:
        """Read a tag with the blocks in it; `token.content` is the rest of its line."""
        if token.content:
            nodes = [make.paragraph(self._inlines.html(token.content)), *nodes]
        attributes = read_attributes(token.info)
        if token.tag.startswith("@"):
            made = self._integration(token.tag[1:], attributes)
        else:
            read = READERS.get(token.tag)
            made = read(self, attributes, nodes, token.info) if read else None
        if made is not None:
            return [made]
        source = token.info if token.tag == "details" else f"{{% {token.tag} {token.info} %}}"
        return [make.paragraph([make.text(clean(source))]), *nodes]

    def _code(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        if len(nodes) != 1 or nodes[0]["type"] != "code":
            return None
        data = dict(nodes[0]["data"])
        for name in ("title", "syntax"):
            if name in attributes:
                data[name] = attributes[name]
        if attributes.get("overflow") in ("wrap", "scroll"):
            data["overflow"] = attributes["overflow"]
        for name in ("lineNumbers", "fullWidth"):
            if name in attributes:
                data[name] = attributes[name] != "false"
        return {**nodes[0], "data": data}

    def _hint(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        style = attributes.get("style", "info")
        return make.block("hint", fit(nodes, "hint"), {"style": style if style in STYLES else "info"})

    def _tabs(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        return make.block("tabs", _gathered(nodes, "tabs-item"), _full_width(attributes))

    def _tab(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        data = {"title": attributes["title"]} if "title" in attributes else {}
        return make.block("tabs-item", fit(nodes, "tabs-item"), data, **_meta(attributes))

    def _stepper(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        return make.block("stepper", _gathered(nodes, "stepper-step"))

    def _step(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        data = {"icon": attributes["icon"]} if attributes.get("icon") else {}
        return make.block("stepper-step", fit(nodes, "stepper-step"), data)

    def _columns(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        return make.block("columns", _gathered(nodes, "column"), _full_width(attributes), isVoid=False)

    def _column(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        data: Node = {}
        width = read_length(attributes.get("width"))
        if width is not None:
            data["width"] = width
        if attributes.get("valign") in ("top", "middle", "bottom"):
            data["verticalAlignment"] = attributes["valign"]
        return make.block("column", fit(nodes, "column"), data)

    def _details(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        opened, title, _ = source.partition("<summary>")
        titles = [make.paragraph()]
        if title:
            match = SUMMARY.fullmatch(source[len(opened) :].strip())
            titles = [make.paragraph(self._inlines.html(match[1] if match else title))]
        elif nodes and nodes[0]["type"] == "summary":
            titles = nodes[0]["nodes"]
            nodes = nodes[1:]
        fragments = [
            make.fragment("expandable-title", titles),
            make.fragment("expandable-body", fit(nodes, "expandable-body")),
        ]
        return make.block("expandable", fragments=fragments, **_meta(read_attributes(opened[8:].rstrip().rstrip(">"))))

    def _content_ref(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        ref = known(self._links, attributes["url"]) if "url" in attributes else None
        return make.block("content-ref", data={"ref": ref}) if ref else None

    def _embed(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        url = attributes.get("url")
        if url is None or not is_safe({"kind": "url", "url": url}):
            return None
        return make.block("embed", data={"url": url, **_full_width(attributes)}, **_caption(nodes))

    def _file(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        ref = known(self._links, attributes["src"], ("file", "url")) if "src" in attributes else None
        return make.block("file", data={"ref": ref}, **_caption(nodes)) if ref else None

    def _drawing(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        if "src" not in attributes:
            return make.block("drawing")
        ref = known(self._links, attributes["src"], ("file", "url"))
        return make.block("drawing", data={"ref": ref}) if ref else None

    def _include(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        match = TARGET.match(source)
        target = unescape(match[1] or match[2] or "") if match else ""
        ref = known(self._links, target, ("reusable-content", "url"))
        more: Node = {"meta": {"token": attributes["token"]}} if attributes.get("token") else {}
        return make.block("reusable-content", data={"ref": ref}, **more) if ref else None

    def _if(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node:
        said = ONLY_EXPRESSION.fullmatch(source)
        expression = unescape(said[1]) if said else clean(source)
        return make.block("if", fit(nodes, "if"), {"expression": expression})

    def _math(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        return make.block("math", data={"formula": attributes["formula"]}) if "formula" in attributes else None

    def _operation(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        return _pointer("openapi-operation", attributes, ("path", "method"))

    def _webhook(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        return _pointer("openapi-webhook", attributes, ("name", "method"))

    def _schemas(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        made = _pointer("openapi-schemas", attributes, ())
        schemas = read_json(attributes["schemas:json"]) if "schemas:json" in attributes else None
        if schemas is None:
            schemas = [name.strip() for name in attributes.get("schemas", "").split(",") if name.strip()]
        if made is None or not isinstance(schemas, list) or not all(isinstance(name, str) for name in schemas):
            return None
        if "grouped" in attributes:
            made["data"]["grouped"] = attributes["grouped"] != "false"
        made["data"]["schemas"] = [clean(name) for name in schemas]
        return made

    def _swagger(self, attributes: dict[str, str], nodes: list[Node], source: str) -> Node | None:
        ref = known(self._links, attributes["src"], ("file", "url")) if "src" in attributes else None
        if ref is None:
            return None
        data: Node = {"ref": ref, "path": attributes.get("path", ""), "method": attributes.get("method", "")}
        for name in ("expanded", "fullWidth"):
            if name in attributes:
                data[name] = attributes[name] != "false"
        return make.block("swagger", data=data, **_meta(attributes))

    def _integration(self, name: str, attributes: dict[str, str]) -> Node | None:
        integration, _, block = name.partition("/")
        url = attributes.get("data-url")
        if not block or (url is not None and not is_safe({"kind": "url", "url": url})):
            return None
        whole = read_json(attributes.get("props:json", "{}"))
        props = dict(whole) if isinstance(whole, dict) else {}
        for key, value in attributes.items():
            if key.endswith(":json") and key not in OWN:
                props[key.removesuffix(":json")] = read_json(value)
            elif key not in OWN:
                props[key] = value
        data: Node = {"integration": integration, "block": block, "props": props}
        action = read_json(attributes.get("data-action:json", "null"))
        if isinstance(action, dict):
            data["action"] = action
        if url is not None:
            data["url"] = url
        if "data-full-width" in attributes:
            data["fullWidth"] = attributes["data-full-width"] != "false"
        return make.block("integration", data=data)


READERS: dict[str, Callable[[TagReader, dict[str, str], list[Node], str], Node | None]] = {
    "code": TagReader._code,
    "hint": TagReader._hint,
    "tabs": TagReader._tabs,
    "tab": TagReader._tab,
    "stepper": TagReader._stepper,
    "step": TagReader._step,
    "columns": TagReader._columns,
    "column": TagReader._column,
    "details": TagReader._details,
    "content-ref": TagReader._content_ref,
    "embed": TagReader._embed,
    "file": TagReader._file,
    "drawing": TagReader._drawing,
    "include": TagReader._include,
    "if": TagReader._if,
    "math": TagReader._math,
    "openapi-operation": TagReader._operation,
    "openapi-schemas": TagReader._schemas,
    "openapi-webhook": TagReader._webhook,
    "swagger": TagReader._swagger,
}


def _gathered(nodes: list[Node], kind: str) -> list[Node]:
    """Return the parts of a block; content between parts belongs to the one before, or to a new one."""
    parts: list[Node] = []
    for node in nodes:
        if node["type"] == kind:
            parts.append(node)
            continue
        if not parts:
            parts.append(make.block(kind, []))
        parts[-1] = {**parts[-1], "nodes": parts[-1]["nodes"] + fit([node], kind)}
    return parts


def _meta(attributes: dict[str, str]) -> Node:
    return {"meta": {"id": attributes["id"]}} if attributes.get("id") else {}


def _full_width(attributes: dict[str, str]) -> Node:
    return {"fullWidth": attributes["fullWidth"] != "false"} if "fullWidth" in attributes else {}


def _caption(nodes: list[Node]) -> Node:
    return {"fragments": [make.fragment("caption", fit(nodes, "paragraphs"))]} if nodes else {}


def _pointer(kind: str, attributes: dict[str, str], fields: tuple[str, ...]) -> Node | None:
    if "spec" not in attributes or not all(field in attributes for field in fields):
        return None
    data: Node = {field: attributes[field] for field in fields}
    data["ref"] = {"kind": "openapi", "spec": attributes["spec"]}
    return make.block(kind, data=data, **_meta(attributes))
