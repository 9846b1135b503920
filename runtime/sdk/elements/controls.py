"""Controls: buttons, inputs and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.sdk.elements.making import one_of, wire_action, wire_icon
from runtime.sdk.elements.shapes import (
    Action,
    Button,
    ButtonStyle,
    Checkbox,
    Confirm,
    Control,
    Icon,
    Inline,
    InputType,
    Layout,
    Options,
    Radio,
    Select,
    Switch,
    TextInput,
    Wire,
)


def button(
    label: str | None = None,
    *,
    on_press: Action,
    style: ButtonStyle | None = None,
    icon: Icon | None = None,
    trailing_icon: Icon | None = None,
    tooltip: str | None = None,
    confirm: Confirm | None = None,
    disabled: bool | None = None,
) -> Button:
    """Show a button that fires an action."""
    node: Wire = {"type": "button", "onPress": wire_action("ui.button: on_press", on_press)}
    if label is not None:
        node["label"] = label
    if style is not None:
        node["style"] = one_of("ui.button: style", style, ("primary", "secondary", "danger"))
    if icon is not None:
        node["icon"] = wire_icon("ui.button: icon", icon)
    if trailing_icon is not None:
        node["trailingIcon"] = wire_icon("ui.button: trailing_icon", trailing_icon)
    if tooltip is not None:
        node["tooltip"] = tooltip
    if confirm is not None:
        node["confirm"] = confirm
    if disabled is not None:
        node["disabled"] = disabled
    return Button(node)


def input(label: str, element: Control, *, hint: str | Inline | None = None) -> Layout:
    """Show a control with its label, and a hint under it."""
    allowed = ("textinput", "select", "switch", "radio", "checkbox", "button", "codeblock")
    one_of("ui.input: element", element.get("type", "nothing"), allowed)
    node: Wire = {"type": "input", "label": label, "element": element}
    if hint is not None:
        node["hint"] = hint
    return Layout(node)


def textinput(
    state: str,
    *,
    initial_value: str | None = None,
    placeholder: str | None = None,
    multiline: bool | None = None,
    input_type: InputType | None = None,
    disabled: bool | None = None,
) -> TextInput:
    """Let somebody type text into the state key `state`."""
    node: Wire = {"type": "textinput", "state": state}
    if initial_value is not None:
        node["initialValue"] = initial_value
    if placeholder is not None:
        node["placeholder"] = placeholder
    if multiline is not None:
        node["multiline"] = multiline
    if input_type is not None:
        node["inputType"] = one_of("ui.textinput: input_type", input_type, ("text", "password", "email"))
    if disabled is not None:
        node["disabled"] = disabled
    return TextInput(node)


def select(
    state: str,
    options: Options,
    *,
    initial_value: str | Sequence[str] | None = None,
    on_value_change: Action | None = None,
    placeholder: str | None = None,
    multiple: bool | None = None,
    accept_input: bool | None = None,
    disabled: bool | None = None,
) -> Select:
    """Let somebody choose; the state key `state` gets the option's id, or a list of ids when `multiple`.

    `options` is a list of `ui.option(...)` or plain texts, the address of a remote list, or `ui.openapi_options()`.
    """
    node: Wire = {"type": "select", "state": state, "options": _options(options)}
    if initial_value is not None:
        node["initialValue"] = initial_value if isinstance(initial_value, str) else list(initial_value)
    if on_value_change is not None:
        node["onValueChange"] = wire_action("ui.select: on_value_change", on_value_change)
    if placeholder is not None:
        node["placeholder"] = placeholder
    if multiple is not None:
        node["multiple"] = multiple
    if accept_input is not None:
        node["acceptInput"] = accept_input
    if disabled is not None:
        node["disabled"] = disabled
    return Select(node)


def _options(options: Any) -> Any:
    """Return options as they travel."""
    if isinstance(options, str):
        return {"url": options}
    if isinstance(options, dict):
        return {"url": options} if "host" in options else options
    return [
        {"id": option, "label": option} if isinstance(option, str) else option
        for option in options
        if option is not None
    ]


def switch(
    state: str,
    *,
    initial_value: bool | None = None,
    on_value_change: Action | None = None,
    confirm: Confirm | None = None,
    disabled: bool | None = None,
) -> Switch:
    """Let somebody turn the state key `state` on and off."""
    node: Wire = {"type": "switch", "state": state}
    if initial_value is not None:
        node["initialValue"] = initial_value
    if on_value_change is not None:
        node["onValueChange"] = wire_action("ui.switch: on_value_change", on_value_change)
    if confirm is not None:
        node["confirm"] = confirm
    if disabled is not None:
        node["disabled"] = disabled
    return Switch(node)


def checkbox(state: str, value: str | int | float, *, confirm: Confirm | None = None) -> Checkbox:
    """Let somebody check `value`; the state key `state` holds a list of all checked values."""
    node: Wire = {"type": "checkbox", "state": state, "value": value}
    if confirm is not None:
        node["confirm"] = confirm
    return Checkbox(node)


def radio(
    state: str, value: str | int | float, *, confirm: Confirm | None = None, disabled: bool | None = None
) -> Radio:
    """Let somebody pick `value` among all radios with the same state key."""
    node: Wire = {"type": "radio", "state": state, "value": value}
    if confirm is not None:
        node["confirm"] = confirm
    if disabled is not None:
        node["disabled"] = disabled
    return Radio(node)
