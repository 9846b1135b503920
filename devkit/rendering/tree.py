"""A render as a tree, for the terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.style import Style
from rich.text import Text
from rich.tree import Tree

from devkit.rendering.elements import ACTIONS, PARTS, Element, is_element, text
from devkit.rendering.remote_lists import Lists, address_of
from devkit.terminal.output import escape_controls, one_line
from runtime.contract.contentkit import is_nothing

LONGEST = 100
"""So many characters of a text are shown."""
QUOTED = ("label", "title")
SHOWN = ("style", "size", "state", "value", "placeholder", "inputType", "icon", "aspectRatio", "activeStep", "syntax")
FLAGS = ("disabled", "multiple", "multiline", "acceptInput", "lineNumbers")
OWN_WORDS = {"text", "markdown", "codeblock", "link", "hint"}
"""Elements whose words stand beside them, not below."""


class _Words(Text):
    """Words of a script: what rich writes of them must not clear the screen, or name the window."""

    def __init__(self, text: str = "", style: str = "") -> None:
        super().__init__(one_line(escape_controls(text)), style)

    def append(self, text: Text | str, style: str | Style | None = None) -> _Words:
        """Add words, or more of these."""
        super().append(one_line(escape_controls(text)) if isinstance(text, str) else text, style)
        return self


def draw(output: Mapping[str, Any], lists: Lists) -> None:
    """Format a render as a tree, with the entries of its remote lists: colored in a terminal, plain when piped."""
    console = Console(highlight=False, soft_wrap=True, no_color="NO_COLOR" in os.environ)
    console.print(_tree(output, lists))
    for name in ("state", "props"):
        if output.get(name):
            console.print(_Words(f"{name}: ", "dim").append(json.dumps(output[name], ensure_ascii=False), "not dim"))


def _tree(output: Mapping[str, Any], lists: Lists) -> Tree:
    if output.get("type") == "complete":
        returned = json.dumps(output.get("returnValue"), ensure_ascii=False)
        return Tree(_Words("complete", "bold").append(f" {returned}" if "returnValue" in output else "", "not bold"))
    state = output.get("state") or {}
    root = output.get("element")
    tree_ = Tree(_line(root, state, lists) if isinstance(root, dict) else _Words(_short(repr(root))))
    _grow(tree_, root, state, lists)
    return tree_


def _grow(tree: Tree, element: Any, state: Mapping[str, Any], lists: Lists) -> None:
    if not isinstance(element, dict) or element.get("type") in OWN_WORDS - {"codeblock"}:
        return
    for name in PARTS:
        for part in _flat(element.get(name)):
            if is_element(part):
                line = _line(part, state, lists)
                branch = tree.add(line if name in ("children", "element") else _Words(f"{name}: ", "dim").append(line))
                _grow(branch, part, state, lists)
            elif not is_nothing(part) and name == "children":
                tree.add(_Words(_short(text(part, state))))


def _flat(value: Any) -> Iterable[Any]:
    if isinstance(value, list):
        for inner in value:
            yield from _flat(inner)
    elif value is not None:
        yield value


def _line(element: Element, state: Mapping[str, Any], lists: Lists) -> Text:
    """Format one element: its type, text, bindings and actions."""
    kind = str(element.get("type") or "control")
    line = _Words(kind, "bold cyan")
    for name in QUOTED:
        if isinstance(element.get(name), str):
            line.append(f" {_short(element[name])!r}", "green not bold")
    if kind in OWN_WORDS:
        words = element.get("content") if "content" in element else element.get("children")
        line.append(f" {_short(text(words, state))!r}", "green not bold")
    for name in ("id", *SHOWN):
        value = element.get(name)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            line.append(f" {name}={value}", "not bold default")
    for name in FLAGS:
        if element.get(name):
            line.append(f" {name}", "yellow not bold")
    hint = element.get("hint")
    if isinstance(hint, str):
        line.append(f" ({_short(hint)})", "dim not bold")
    for place in ("source", "target"):
        address = element.get(place)
        if isinstance(address, dict) and "url" in address:
            line.append(f" {_value(address['url'])}", "blue not bold")
    if "options" in element:
        line.append(f" options={_options(element['options'], state, lists)}", "not bold default")
    for name in ACTIONS:
        if isinstance(element.get(name), dict):
            line.append(" → ", "dim not bold").append(_action(element[name]), "magenta not bold")
    return line


def _action(action: Mapping[str, Any]) -> str:
    fields = [f"{name}={_value(value)}" for name, value in action.items() if name != "action"]
    return " ".join([str(action.get("action")), *fields])


def _options(options: Any, state: Mapping[str, Any], lists: Lists) -> str:
    """List the ids of the options; those of a remote list with its address, which is all that is known if it failed."""
    if isinstance(options, list):
        return ", ".join(_ids(options))
    address = _value(options.get("url", options)) if isinstance(options, dict) else _value(options)
    known = lists.get(address_of(options, state))
    if known is None:
        return address
    # What is selected may be on none of the pages; of the list, this is the first page.
    ids = list(dict.fromkeys(_ids([*known["selected"], *known["items"]])))
    return f"{', '.join([*ids, *(['…'] if known['next'] else [])]) or 'none'} from {address}"


def _ids(options: Sequence[Any]) -> list[str]:
    return [str(option.get("id")) for option in options if isinstance(option, dict)]


def _value(value: Any) -> str:
    """Abbreviate a value; a binding becomes `$key`."""
    if isinstance(value, dict) and isinstance(value.get("$state"), str):
        return f"${value['$state']}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_value(inner)}" for name, inner in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
