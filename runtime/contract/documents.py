"""Documents as nodes: which there are, and whether something is one (docs/contract/scripts.md, "Answers")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.contract.document_size import size_problem

TOP_LEVEL = frozenset(
    (
        "paragraph",
        "heading-1",
        "heading-2",
        "heading-3",
        "list-ordered",
        "list-unordered",
        "list-tasks",
        "divider",
        "blockquote",
        "hint",
        "if",
        "images",
        "file",
        "drawing",
        "embed",
        "code",
        "math",
        "expandable",
        "tabs",
        "table",
        "openapi-operation",
        "openapi-schemas",
        "openapi-webhook",
        "swagger",
        "content-ref",
        "integration",
        "reusable-content",
        "stepper",
        "columns",
    )
)
INSIDE = frozenset(("list-item", "image", "code-line", "tabs-item", "stepper-step", "column"))
INLINES = frozenset(
    ("link", "emoji", "icon", "expression", "inline-math", "inline-image", "annotation", "mention", "button")
)
MARKS = frozenset(("bold", "italic", "code", "keyboard", "strikethrough", "color", "superscript", "subscript"))


class NotADocument(ValueError):
    """A value is not a document; the message says where and why."""


def check_document(value: dict[str, Any]) -> None:
    """Raise NotADocument unless a JSON value, not nested beyond reason, is a document, and not too large for a page."""
    if value.get("object") != "document":
        raise NotADocument('document.object: must be "document"')
    if not isinstance(value.get("data", {}), dict):
        raise NotADocument("document.data: must be an object")
    for place, node in enumerate(_list(value.get("nodes"), "document.nodes")):
        where = f"document.nodes.{place}"
        if not isinstance(node, dict) or node.get("object") != "block" or node.get("type") not in TOP_LEVEL:
            raise NotADocument(f"{where}: not a block that is allowed at the top level of a document")
        _block(node, where)
    problem = size_problem(value)
    if problem is not None:
        raise NotADocument(problem)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise NotADocument(f"{where}: must be a list")
    return value


def _block(node: dict[str, Any], where: str) -> None:
    if not _is_word(node.get("type"), TOP_LEVEL | INSIDE):
        raise NotADocument(f"{where}.type: not a known block")
    _inner(node, where)


def _inline(node: dict[str, Any], where: str) -> None:
    if not _is_word(node.get("type"), INLINES):
        raise NotADocument(f"{where}.type: not a known inline")
    _inner(node, where)


def _inner(node: dict[str, Any], where: str) -> None:
    if not isinstance(node.get("data", {}), dict):
        raise NotADocument(f"{where}.data: must be an object")
    for key in ("nodes", "fragments"):
        if key in node:
            for place, inner in enumerate(_list(node[key], f"{where}.{key}")):
                _any(inner, f"{where}.{key}.{place}")


def _text(node: dict[str, Any], where: str) -> None:
    for place, leaf in enumerate(_list(node.get("leaves"), f"{where}.leaves")):
        at = f"{where}.leaves.{place}"
        if not isinstance(leaf, dict) or leaf.get("object") != "leaf" or not isinstance(leaf.get("text"), str):
            raise NotADocument(f"{at}: not a leaf with text")
        for number, mark in enumerate(_list(leaf.get("marks"), f"{at}.marks")):
            if not isinstance(mark, dict) or mark.get("object") != "mark" or not _is_word(mark.get("type"), MARKS):
                raise NotADocument(f"{at}.marks.{number}: not a known mark")


_KINDS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "block": _block,
    "inline": _inline,
    "text": _text,
    "fragment": _inner,
}


def _any(node: Any, where: str) -> None:
    kind = node.get("object") if isinstance(node, dict) else None
    if not _is_word(kind, frozenset(_KINDS)):
        raise NotADocument(f"{where}: neither block, inline, text nor fragment")
    _KINDS[str(kind)](node, where)


def _is_word(value: Any, words: frozenset[str]) -> bool:
    return isinstance(value, str) and value in words
