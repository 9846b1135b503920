"""Builders of all ContentKit elements: `from runtime.sdk import ui`.

Each builder returns the element as JSON. Values that are None are left out, lists of children are flattened, text among
children becomes a text element, and a value outside its list raises ValueError naming the allowed ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from runtime.sdk.elements.controls import button, checkbox, input, radio, select, switch, textinput
from runtime.sdk.elements.layout import (
    block,
    box,
    card,
    configuration,
    divider,
    hstack,
    modal,
    step,
    stepper,
    vstack,
)
from runtime.sdk.elements.shapes import Block, Child, Children, Configuration, Modal, Root
from runtime.sdk.elements.text_media import codeblock, hint, image, link, markdown, text, webframe
from runtime.sdk.elements.values import (
    action,
    close_modal,
    complete,
    confirm,
    control,
    open_modal,
    open_url,
    openapi_options,
    option,
    state,
    update,
    update_node_props,
    url,
)

ELEMENTS: Final[dict[str, Callable[..., Any]]] = {
    "block": block,
    "modal": modal,
    "configuration": configuration,
    "vstack": vstack,
    "hstack": hstack,
    "box": box,
    "divider": divider,
    "card": card,
    "stepper": stepper,
    "step": step,
    "text": text,
    "link": link,
    "hint": hint,
    "markdown": markdown,
    "image": image,
    "codeblock": codeblock,
    "webframe": webframe,
    "button": button,
    "input": input,
    "textinput": textinput,
    "select": select,
    "switch": switch,
    "checkbox": checkbox,
    "radio": radio,
}

__all__ = [
    "ELEMENTS",
    "Block",
    "Child",
    "Children",
    "Configuration",
    "Modal",
    "Root",
    "action",
    "block",
    "box",
    "button",
    "card",
    "checkbox",
    "close_modal",
    "codeblock",
    "complete",
    "configuration",
    "confirm",
    "control",
    "divider",
    "hint",
    "hstack",
    "image",
    "input",
    "link",
    "markdown",
    "modal",
    "open_modal",
    "open_url",
    "openapi_options",
    "option",
    "radio",
    "select",
    "state",
    "step",
    "stepper",
    "switch",
    "text",
    "textinput",
    "update",
    "update_node_props",
    "url",
    "vstack",
    "webframe",
]
