"""Compares nodes of documents for merging: equality, similarity, and names for people."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

Node = Mapping[str, Any]

CONTAINERS = frozenset(
    (
        "list-ordered",
        "list-unordered",
        "list-tasks",
        "list-item",
        "tabs",
        "tabs-item",
        "stepper",
        "stepper-step",
        "columns",
        "column",
        "blockquote",
        "hint",
        "expandable",
        "if",
        "images",
    )
)
"""Blocks made of blocks that mean something by themselves. Code and tables are not: they are taken whole."""
MAX_NESTING = 100
"""Levels of nodes whose keys are ignored; no editor makes as many, and deeper ones count as they are written."""
MAX_WORDS = 64
SAME_TYPE = 20
SAME_WORDS = 100

NAMES = {
    "heading-1": "heading",
    "heading-2": "subheading",
    "heading-3": "small heading",
    "list-ordered": "numbered list",
    "list-unordered": "bulleted list",
    "list-tasks": "task list",
    "blockquote": "quote",
    "if": "conditional block",
    "images": "group of images",
    "code": "code block",
    "code-line": "line of code",
    "math": "formula",
    "tabs": "group of tabs",
    "tabs-item": "tab",
    "stepper-step": "step",
    "columns": "group of columns",
    "openapi-operation": "API operation",
    "openapi-schemas": "group of API schemas",
    "openapi-webhook": "API webhook",
    "swagger": "API operation",
    "content-ref": "link to content",
    "integration": "integration block",
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def fingerprint(node: Node) -> bytes:
    """Return equal bytes for nodes with equal content; `key`s are ignored."""
    content = json.dumps(_without_keys(node), separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b(content.encode(), digest_size=20).digest()


def inner(node: Node, name: str = "nodes") -> Sequence[Node]:
    """Return a node's children."""
    nodes: Sequence[Node] = node.get(name) or ()
    return nodes


def words_of(node: Node) -> frozenset[str]:
    """Return the first words of a node's text and data."""
    words: list[str] = []
    todo: list[Any] = [node]
    while todo and len(words) < MAX_WORDS:
        value = todo.pop()
        if isinstance(value, str):
            words += value.split(maxsplit=MAX_WORDS)[:MAX_WORDS]
        elif isinstance(value, Mapping):
            todo += [value[name] for name in sorted(value, reverse=True) if name not in ("object", "type", "key")]
        elif isinstance(value, list | tuple):
            todo += reversed(value)
    return frozenset(words[:MAX_WORDS])


def likeness(type_: str, words: frozenset[str], other_type: str, other_words: frozenset[str]) -> int:
    """Return how likely one block is an edited version of the other; 0 if it is not."""
    shared = SAME_WORDS * len(words & other_words) // max(len(words), len(other_words), 1)
    if type_ == other_type:
        return SAME_TYPE + shared
    return shared if 2 * shared >= SAME_WORDS else 0


def type_of(node: Node) -> str:
    """Return the type of a block."""
    return str(node.get("type"))


def places_of(nodes: Sequence[Node]) -> list[str]:
    """Name each block as a person counts: "the second paragraph"."""
    seen: dict[str, int] = {}
    places = []
    for node in nodes:
        name = NAMES.get(type_of(node), type_of(node).replace("-", " "))
        seen[name] = seen.get(name, 0) + 1
        places.append(f"the {_ordinal(seen[name])} {name}")
    return places


def _ordinal(number: int) -> str:
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _without_keys(node: Any, level: int = 0) -> Any:
    if not isinstance(node, Mapping) or "object" not in node or level == MAX_NESTING:
        return node
    stripped: dict[str, Any] = {}
    for name, value in node.items():
        if name in ("nodes", "fragments", "leaves") and isinstance(value, list):
            stripped[name] = [_without_keys(one, level + 1) for one in value]
        elif name != "key":
            stripped[name] = value
    return stripped
