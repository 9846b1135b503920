"""Shared parts of all builders: children, actions, and checks with helpful errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from runtime.sdk.elements.shapes import Action, Icon, Wire

ICONS: Final[tuple[str, ...]] = get_args(Icon)


def one_of(where: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the value if it is allowed; raises ValueError that lists the allowed ones."""
    if value not in allowed:
        raise ValueError(f"{where} must be one of {', '.join(allowed)}; got {value!r}")
    return value


def at_most(where: str, value: str, longest: int) -> str:
    """Return the text if it is short enough; raises ValueError."""
    if len(value) > longest:
        raise ValueError(f"{where} may have {longest} characters, got {len(value)}")
    return value


def wire_action(where: str, action: Action) -> Wire:
    """Return an action as it travels; raises TypeError for anything else."""
    if isinstance(action, str):
        return {"action": action}
    if isinstance(action, Mapping) and isinstance(action.get("action"), str):
        return dict(action)
    raise TypeError(f'{where} must be the name of an action or ui.action("name", ...), got {action!r}')


def wire_icon(where: str, icon: Any) -> Any:
    """Return an icon's name, or an image in its place."""
    if isinstance(icon, dict) and icon.get("type") == "image":
        return icon
    return one_of(where, icon, ICONS)


def children_of(where: str, parts: Iterable[Any]) -> list[Any]:
    """Return child elements: lists flattened, None and booleans left out, text wrapped into a text element."""
    elements: list[Any] = []
    for part in parts:
        if isinstance(part, dict):
            elements.append(part)
        elif part is None or part is True or part is False or part == "":
            continue
        elif isinstance(part, (str, int, float)):
            elements.append({"type": "text", "children": [part]})
        elif isinstance(part, (list, tuple)):
            elements.extend(children_of(where, part))
        else:
            raise TypeError(f"{where} cannot hold {type(part).__name__}: {part!r}")
    return elements


def text_of(where: str, parts: Iterable[Any]) -> list[Any]:
    """Return parts of a text: as `children_of`, but text and numbers stay as they are."""
    elements: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            if part:
                elements.append(part)
        elif part is None or part is True or part is False:
            continue
        elif isinstance(part, (int, float, dict)):
            elements.append(part)
        elif isinstance(part, (list, tuple)):
            elements.extend(text_of(where, part))
        else:
            raise TypeError(f"{where} cannot hold {type(part).__name__}: {part!r}")
    return elements


def buttons_of(where: str, buttons: Iterable[Any]) -> list[Any]:
    """Return buttons without the left-out ones; raises TypeError for another element."""
    checked = children_of(where, buttons)
    for button in checked:
        if button.get("type") != "button":
            raise TypeError(f"{where} may hold ui.button(...) only, got {button.get('type')}")
    return checked
