"""Values of elements besides text: actions, bindings, addresses, questions, options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.sdk.elements.making import at_most, one_of, wire_action, wire_icon
from runtime.sdk.elements.shapes import (
    Action,
    Binding,
    BlockControl,
    BuiltInOptions,
    Confirm,
    ConfirmStyle,
    Icon,
    Image,
    SelectOption,
    Url,
    Wire,
)


def state(key: str) -> Binding:
    """Return a binding to the current value of a state key."""
    return {"$state": key}


def action(name: str, /, **properties: Any) -> Wire:
    """Create an action with further properties, which may contain bindings at any depth."""
    return {"action": name, **properties}


def open_modal(component_id: str, props: Mapping[str, Any] | None = None) -> Wire:
    """Open another component of the integration on top of this one."""
    return {"action": "@ui.modal.open", "componentId": component_id, "props": dict(props or {})}


def close_modal(return_value: Mapping[str, Any] | None = None) -> Wire:
    """Close the overlay; the component below gets this action with `returnValue`."""
    return {"action": "@ui.modal.close", "returnValue": dict(return_value or {})}


def open_url(url: str) -> Wire:
    """Open an address in a new window."""
    return {"action": "@ui.url.open", "url": url}


def update_node_props(props: Mapping[str, Any]) -> Wire:
    """Store these properties in the document's node of the block."""
    return {"action": "@editor.node.updateProps", "props": dict(props)}


def update(*, state: Mapping[str, Any] | None = None, props: Mapping[str, Any] | None = None) -> Wire:
    """Answer an action with a new state, new props, or both; each replaces the old one as a whole."""
    answer: Wire = {}
    if state is not None:
        answer["state"] = dict(state)
    if props is not None:
        answer["props"] = dict(props)
    return answer


def complete(return_value: Mapping[str, Any] | None = None) -> Wire:
    """Answer an action by finishing the component: its overlay or screen closes with `returnValue`."""
    answer: Wire = {"type": "complete"}
    if return_value is not None:
        answer["returnValue"] = dict(return_value)
    return answer


def url(host: str, pathname: str, query: Mapping[str, Any] | None = None) -> Url:
    """Create an address from parts; values of the query may be bindings."""
    made: Url = {"host": host, "pathname": pathname}
    if query is not None:
        made["query"] = dict(query)
    return made


def confirm(title: str, text: str, confirm: str, *, style: ConfirmStyle | None = None) -> Confirm:
    """Create a question asked before an action; `confirm` is the label of the button that continues."""
    dialog: Confirm = {
        "title": at_most("ui.confirm: title", title, 100),
        "text": at_most("ui.confirm: text", text, 300),
        "confirm": at_most("ui.confirm: confirm", confirm, 30),
    }
    if style is not None:
        one_of("ui.confirm: style", style, ("primary", "danger"))
        dialog["style"] = style
    return dialog


def option(id: str, label: str | None = None, *, icon: Icon | Image | None = None) -> SelectOption:
    """Create one entry of a select; without a label its id is shown."""
    made: SelectOption = {"id": id, "label": id if label is None else label}
    if icon is not None:
        made["icon"] = wire_icon("ui.option: icon", icon)
    return made


def openapi_options() -> BuiltInOptions:
    """Offer the OpenAPI specifications of the organization in a select."""
    return {"source": "openapi"}


def control(label: str, *, on_press: Action, icon: Icon | None = None, confirm: Confirm | None = None) -> BlockControl:
    """Create one entry in the menu of a block."""
    made: BlockControl = {"label": label, "onPress": wire_action("ui.control: on_press", on_press)}
    if icon is not None:
        made["icon"] = wire_icon("ui.control: icon", icon)
    if confirm is not None:
        made["confirm"] = confirm
    return made
