"""Expressions of merge rules: conditions over a change request, its space, and who merges it.

A condition about a visitor may name what is missing, or compare different kinds. A rule that is always true by mistake
would let everything be merged, so names and kinds are checked when it is set (docs/contract/api.md, "Merge rules").
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.contract.conditions import BadCondition, Node, Roots, read

NAMES: Mapping[str, str] = {
    "actor.id": "text",
    "actor.displayName": "text",
    "actor.email": "text",
    "changeRequest.comments": "number",
    "changeRequest.createdBy.id": "text",
    "changeRequest.number": "number",
    "changeRequest.outdated": "truth",
    "changeRequest.status": "text",
    "changeRequest.subject": "text",
    "reviews.length": "number",
    "space.editMode": "text",
    "space.id": "text",
    "space.title": "text",
    "space.visibility": "text",
}
"""What an expression may name -> the kind of its value. All of them always have one."""
ROOTS: Roots = tuple((root,) for root in sorted({name.partition(".")[0] for name in NAMES}))


def checked(text: str) -> str:
    """Return an expression that can be decided; raises BadCondition, which is a ValueError."""
    _must_be("truth", read(text, ROOTS), "an expression")
    return text


def _kind(node: Node) -> str:
    if node.kind == "value":
        value = node.value
        return "nothing" if value is None else {bool: "truth", float: "number", str: "text"}[type(value)]
    if node.kind == "claim":
        name = ".".join(node.value)
        if name not in NAMES:
            raise BadCondition(f"cannot use `{name}`; it can use {', '.join(NAMES)}")
        return NAMES[name]
    if node.kind in ("not", "and", "or"):
        for part in node.parts:
            _must_be("truth", part, "`!`, `&&` and `||`")
        return "truth"
    if node.kind == "in":
        raise BadCondition("cannot use `in` and `includes`; there are no lists")
    left, right = map(_kind, node.parts)
    if left != right or left == "nothing" or (node.kind not in ("==", "!=") and left == "truth"):
        raise BadCondition(f"compares a {left} with a {right}, which is never true")
    return "truth"


def _must_be(kind: str, node: Node, what: str) -> None:
    found = _kind(node)
    if found != kind:
        raise BadCondition(f"needs a comparison, not a {found}, for {what}")
