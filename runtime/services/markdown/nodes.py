"""Creates and inspects nodes of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Node = dict[str, Any]


def block(kind: str, nodes: Sequence[Node] | None = None, data: Node | None = None, **more: Any) -> Node:
    """Make a block; one without nodes is void."""
    node: Node = {"object": "block", "type": kind, "data": data or {}}
    if nodes is None:
        node["isVoid"] = True
    else:
        node["nodes"] = list(nodes)
    return {**node, **more}


def inline(kind: str, data: Node, nodes: Sequence[Node] | None = None, **more: Any) -> Node:
    """Make an inline; one without nodes is void."""
    return {**block(kind, nodes, data, **more), "object": "inline"}


def text(content: str, marks: Sequence[Node] = ()) -> Node:
    """Make a text of one leaf."""
    return {"object": "text", "leaves": [{"object": "leaf", "text": content, "marks": list(marks)}]}


def mark(kind: str) -> Node:
    """Make a mark without data."""
    return {"object": "mark", "type": kind}


def paragraph(nodes: Sequence[Node] = (), align: str | None = None) -> Node:
    """Make a paragraph; an empty one has an empty text."""
    return block("paragraph", list(nodes) or [text("")], {"align": align} if align else {})


def fragment(kind: str, nodes: Sequence[Node]) -> Node:
    """Make a fragment named after its type."""
    return {"object": "fragment", "fragment": kind, "type": kind, "nodes": list(nodes)}


def append(nodes: list[Node], content: str, marks: Sequence[Node] = ()) -> None:
    """Append text: to the last leaf if it has the same marks, else to the last text node."""
    if not content:
        return
    fresh = text(content, marks)
    if not nodes or nodes[-1]["object"] != "text":
        nodes.append(fresh)
        return
    leaves = nodes[-1]["leaves"]
    if leaves and leaves[-1]["marks"] == list(marks):
        leaves[-1]["text"] += content
    else:
        leaves += fresh["leaves"]


def texts_of(node: Node) -> str:
    """Return the text of a node and its descendants, without fragments; other inlines give their alternative text."""
    parts: list[str] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.get("object") == "text":
            parts += [leaf.get("text", "") for leaf in one.get("leaves", ())]
        elif one.get("nodes"):
            waiting += reversed(one["nodes"])
        else:
            data = one.get("data", {})
            shown = [data.get(name) for name in ("label", "alt", "formula", "expression", "icon")]
            parts += [value for value in shown if isinstance(value, str)][:1]
    return "".join(parts)
