"""Evaluates the expressions of a document: those that are variables of the space or of the page, and those of a reader.

For a program, expressions that need a reader (`visitor...`), or are not plain variables, stay as they are: they are
evaluated by renderers, which know the reader. Where the host itself is the renderer, what a reader's conditions do not
allow is left out, and so is what cannot be decided.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runtime.contract.conditions import ConditionEvaluator

VARIABLE = re.compile(r"\s*(space|page)\.vars\.([A-Za-z_][A-Za-z0-9_]*)\s*")
Variables = Mapping[str, Mapping[str, Any]]


def evaluated(document: Mapping[str, Any], space: Mapping[str, Any], page: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with texts instead of the variables it names; how deep it is was bounded when it came in."""
    filled: dict[str, Any] = _node(document, {"space": space, "page": page})
    return filled


class ReaderOfDocuments:
    """Somebody for whom the documents of one page are evaluated; all of them share one budget."""

    def __init__(self, claims: Mapping[str, Any], space: Mapping[str, Any], page: Mapping[str, Any]) -> None:
        """Take what the reader claims, and the variables."""
        self._variables: Variables = {"space": space, "page": page}
        self._reader = ConditionEvaluator(claims, self._variables)

    def evaluated(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document as it is for the reader: without hidden blocks, with texts instead of expressions."""
        filled: dict[str, Any] = _node(document, self._variables, self._reader)
        return filled


def unconditional(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without the blocks that depend on who reads it."""
    changed = {
        key: [unconditional(inner) for inner in document[key] if not _is_conditional(inner)]
        for key in ("nodes", "fragments")
        if key in document
    }
    return {**document, **changed}


def _node(node: Any, variables: Variables, reader: ConditionEvaluator | None = None) -> Any:
    if node.get("object") == "inline" and node.get("type") == "expression":
        return _value(node, variables, reader)
    changed = {
        key: [_node(inner, variables, reader) for inner in node[key] if reader is None or _is_shown(inner, reader)]
        for key in ("nodes", "fragments")
        if key in node
    }
    return {**node, **changed} if changed else node


def _is_conditional(node: Any) -> bool:
    return bool(node.get("object") == "block" and node.get("type") == "if")


def _is_shown(node: Any, reader: ConditionEvaluator) -> bool:
    expression = _expression(node)
    return not _is_conditional(node) or (bool(expression.strip()) and reader.meets(expression))


def _expression(node: Any) -> str:
    data = node.get("data")
    return str(data.get("expression", "")) if isinstance(data, Mapping) else ""


def _value(node: Any, variables: Variables, reader: ConditionEvaluator | None) -> Any:
    expression = _expression(node)
    named = VARIABLE.fullmatch(expression)
    if named is not None and named[2] in variables[named[1]]:
        value = variables[named[1]][named[2]]
        return _text(str(value).lower() if isinstance(value, bool) else str(value))
    return node if reader is None else _text(reader.text(expression))


def _text(text: str) -> dict[str, Any]:
    return {"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]}
