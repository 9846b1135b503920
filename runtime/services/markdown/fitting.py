"""Which blocks may contain which, and what replaces those that may not be where they are."""

from __future__ import annotations

import json
from collections.abc import Sequence

from runtime.contract.documents import TOP_LEVEL
from runtime.services.markdown import nodes as make
from runtime.services.markdown.nodes import Node

ESSENTIALS = frozenset(
    ("paragraph", "heading-1", "heading-2", "heading-3", "list-ordered", "list-unordered", "list-tasks", "divider")
)
_STEP = ESSENTIALS | {"content-ref", "code", "embed", "file", "images", "drawing", "hint", "blockquote", "math"}
_STEP |= {"integration"}
ALLOWED: dict[str, frozenset[str]] = {
    "document": TOP_LEVEL,
    "if": TOP_LEVEL - {"if", "columns"},
    "blockquote": ESSENTIALS | {"blockquote"},
    "hint": ESSENTIALS,
    "list-item": ESSENTIALS | {"code", "hint", "blockquote", "math", "table"},
    "tabs-item": _STEP,
    "stepper-step": _STEP,
    "column": _STEP | {"table"},
    "expandable-body": ESSENTIALS | {"images", "code", "table", "hint", "blockquote", "reusable-content"},
    "annotation-body": ESSENTIALS | {"code"},
    "paragraphs": frozenset(("paragraph",)),
}
"""Where -> which blocks may stand there, as the published document says (schemas.md, "Document nodes")."""
NEVER_EMPTY = frozenset(("list-item", "expandable-body", "annotation-body", "paragraphs"))


def fit(nodes: Sequence[Node], where: str) -> list[Node]:
    """Return blocks that may be in `where`; others are replaced by their content, or a paragraph of their text."""
    fitting: list[Node] = []
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if node.get("type") in ALLOWED[where]:
            fitting.append(node)
        else:
            waiting += reversed(lowered(node))
    if not fitting and where in NEVER_EMPTY:
        fitting.append(make.paragraph())
    return fitting


def lowered(node: Node) -> list[Node]:
    """Replace a block by the blocks in it, or by paragraphs."""
    kind, data = node["type"], node.get("data", {})
    fragments = [inner for one in node.get("fragments", ()) for inner in one["nodes"]]
    if kind == "image":
        shown = {name: data[name] for name in ("ref", "refDark", "alt") if name in data}
        return [make.paragraph([make.inline("inline-image", shown)]), *fragments]
    if kind == "math":
        return [make.paragraph([make.inline("inline-math", {"formula": data["formula"]})])]
    if kind == "table":
        return _rows(node)
    if kind.startswith("heading-") or kind == "code-line":
        return [make.paragraph(node["nodes"])]
    if node.get("nodes"):
        return list(node["nodes"])
    if kind == "expandable":
        return fragments
    if kind == "divider":
        return [make.paragraph([make.text("***")])]
    ref = {"kind": "url", "url": data["url"]} if isinstance(data.get("url"), str) else data.get("ref")
    if kind in ("content-ref", "file", "embed", "drawing", "reusable-content") and ref:
        named = ref.get(next((name for name in ref if name not in ("kind", "space")), "kind"), "")
        return [make.paragraph([make.inline("link", {"ref": ref}, [make.text(str(named))])]), *fragments]
    if "isVoid" not in node or not data:
        return fragments
    return [make.paragraph([make.text(f"{kind} {json.dumps(data, ensure_ascii=False)}")]), *fragments]


def _rows(table: Node) -> list[Node]:
    texts = {one.get("fragment"): " ".join(map(make.texts_of, one["nodes"])) for one in table.get("fragments", ())}
    data = table["data"]
    rows = [" ".join(column["title"] for column in data["definition"].values())]
    for record in sorted(data["records"].values(), key=lambda record: str(record["orderIndex"])):
        values = [texts.get(value, value) for value in record["values"].values() if isinstance(value, str)]
        rows.append(" ".join(values))
    return [make.paragraph([make.text(row)]) for row in rows if row]
