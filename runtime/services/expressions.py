"""Evaluates the expressions of a document that are variables of the space or of the page.

Expressions that need a reader (`visitor…`), or are not plain variables, stay as they are: they are evaluated by
renderers, which know the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

VARIABLE = re.compile(r"\s*(space|page)\.vars\.([A-Za-z_][A-Za-z0-9_]*)\s*")


def evaluated(document: Mapping[str, Any], space: Mapping[str, Any], page: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with texts instead of the variables it names; how deep it is was bounded when it came in."""
    variables = {"space": space, "page": page}
    filled: dict[str, Any] = _node(document, variables)
    return filled


def _node(node: Any, variables: Mapping[str, Mapping[str, Any]]) -> Any:
    if node.get("object") == "inline" and node.get("type") == "expression":
        return _value(node, variables)
    changed = {key: [_node(inner, variables) for inner in node[key]] for key in ("nodes", "fragments") if key in node}
    return {**node, **changed} if changed else node


def _value(node: Any, variables: Mapping[str, Mapping[str, Any]]) -> Any:
    named = VARIABLE.fullmatch(str(node.get("data", {}).get("expression", "")))
    if named is None or named[2] not in variables[named[1]]:
        return node
    value = variables[named[1]][named[2]]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return {"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]}
