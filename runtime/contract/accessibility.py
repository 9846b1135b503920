"""Accessibility problems of a render, for `devkit check` and the preview."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.contract.contentkit import MOST, is_nothing
from runtime.contract.json_shapes import Violation, step

FIELDS = frozenset(("textinput", "select", "switch", "checkbox", "radio"))


def warnings(output: Any, *, typed: bool = False) -> list[Violation]:
    """List what an output's elements leave out that assistive technology needs, `MOST` at most, in their order.

    For authors whose language has `typed` elements nothing is asked that the published types do not have: `alt`.
    """
    violations: list[Violation] = []
    root = output.get("element") if isinstance(output, dict) else None
    # A stack instead of recursion: what is looked at may be nested as deeply as its author likes.
    stack: list[tuple[Any, str, bool]] = [(root, "element", False)]
    while stack and len(violations) < MOST:
        value, path, labelled = stack.pop()
        inside: list[tuple[Any, str, bool]] = []
        if isinstance(value, list):
            inside = [(child, f"{path}[{place}]", False) for place, child in enumerate(value)]
        elif isinstance(value, dict):
            if isinstance(value.get("type"), str):
                violations += _missing(value, path, labelled, typed)
            named = value.get("type") == "input" and not _blank(value.get("label"))
            inside = [(child, step(path, name), named and name == "element") for name, child in value.items()]
        stack.extend(reversed(inside))
    return violations[:MOST]


def _missing(element: dict[str, Any], path: str, labelled: bool, typed: bool) -> Iterator[Violation]:
    kind = element["type"]
    if kind == "image" and not typed and not isinstance(element.get("alt"), str):
        yield Violation(path, 'the image has no `alt`: describe it, or write "" if it is only decoration')
    elif kind == "input" and _blank(element.get("label")) and not _says_itself(element.get("element")):
        yield Violation(path, "the input has no label: describe what to fill in")
    elif kind in FIELDS and not labelled:
        yield Violation(path, f"the {kind} has no label: put it into an `input` with one")
    elif kind == "codeblock" and isinstance(element.get("state"), str) and not labelled:
        yield Violation(path, "the editable codeblock has no label: put it into an `input` with one")
    elif kind == "button" and _blank(element.get("label")) and _blank(element.get("tooltip")):
        yield Violation(path, "the button has no text: give it a `label`, or a `tooltip` beside its icon")
    elif kind == "card" and element.get("onPress") and _blank(element.get("title")):
        yield Violation(path, "the card can be pressed and has no title: describe what pressing it does")
    elif kind == "modal" and _blank(element.get("title")):
        yield Violation(path, "the modal has no title: say what it is about")
    elif kind == "link" and _empty(element.get("children")):
        yield Violation(path, "the link has no text: say where it leads")


def _says_itself(element: Any) -> bool:
    """Return whether what is inside an input has words of its own, as a button does."""
    return isinstance(element, dict) and element.get("type") == "button" and not _blank(element.get("label"))


def _blank(value: Any) -> bool:
    return not isinstance(value, str) or not value.strip()


def _empty(children: Any) -> bool:
    parts = children if isinstance(children, list) else [children]
    return all(is_nothing(part) or (isinstance(part, str) and not part.strip()) for part in parts)
