"""Walks ContentKit elements and reads their text, labels and bindings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.contract.contentkit import ELEMENTS, is_nothing

Element = dict[str, Any]
PARTS = ("header", "children", "element", "icon", "hint", "subtitle", "submit", "buttons", "footer", "controls")
"""Properties that may hold elements, in the order a person meets them."""
WRITTEN = ("textinput", "select", "switch", "checkbox", "radio", "codeblock")
"""Controls that write a key of the state."""
ACTIONS = ("onPress", "onValueChange", "onContentChange", "onStepChange", "onComplete")
WORDS = (
    "title",
    "subtitle",
    "label",
    "hint",
    "children",
    "content",
    "element",
    "buttons",
    "submit",
    "header",
    "footer",
)
_MISSING = object()


def is_element(value: Any) -> bool:
    """Return whether a value is an element, or an entry of a block's menu."""
    return isinstance(value, dict) and (value.get("type") in ELEMENTS or "onPress" in value)


def walk(value: Any) -> Iterator[Element]:
    """Yield an element and its descendants, in document order."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif is_element(node):
            yield node
            stack.extend(node[name] for name in reversed(PARTS) if name in node)


def text(value: Any, state: Mapping[str, Any] | None = None) -> str:
    """Return the visible text, separated by spaces; bindings show their value in `state`."""
    return " ".join(" ".join(_words(value, state or {})).split())


def _words(value: Any, state: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(value, list):
        for inner in value:
            yield from _words(inner, state)
    elif isinstance(value, dict):
        if "$state" in value:
            yield from _words(state.get(value["$state"]), state)
        else:
            for name in WORDS:
                yield from _words(value.get(name), state)
    elif not is_nothing(value):
        yield str(value)


def label(element: Element) -> str:
    """Return an element's name: its label or title, else its text, else its icon."""
    for name in ("label", "title", "tooltip"):
        if isinstance(element.get(name), str) and element[name]:
            return str(element[name])
    return text(element.get("children")) or str(element.get("icon") or element.get("trailingIcon") or "")


def labels(root: Any) -> dict[int, str]:
    """Return the label of each control in an input, by the identity of the control."""
    inputs = [element for element in walk(root) if element.get("type") == "input"]
    return {
        id(input_["element"]): str(input_.get("label", ""))
        for input_ in inputs
        if isinstance(input_.get("element"), dict)
    }


def resolve(value: Any, state: Mapping[str, Any]) -> Any:
    """Replace bindings by their values in the state; unknown keys are left out, or None at the top."""
    resolved = _resolved(value, state)
    return None if resolved is _MISSING else resolved


def _resolved(value: Any, state: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [
            inner_value for inner_value in (_resolved(inner, state) for inner in value) if inner_value is not _MISSING
        ]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$state"), str):
        return state.get(value["$state"], _MISSING)
    resolved = {name: _resolved(inner, state) for name, inner in value.items()}
    return {name: inner_value for name, inner_value in resolved.items() if inner_value is not _MISSING}
