"""Roots, and elements that contain others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.sdk.elements.making import at_most, buttons_of, children_of, one_of, wire_action, wire_icon
from runtime.sdk.elements.shapes import (
    Action,
    Align,
    Block,
    Button,
    Children,
    Configuration,
    ControlEntry,
    DividerSize,
    Icon,
    Image,
    InlinePart,
    Layout,
    Modal,
    ModalSize,
    Step,
    Stepper,
    Wire,
)


def block(*children: Children, controls: Sequence[ControlEntry] | None = None) -> Block:
    """Draw a block of a document; `controls` is its menu, an inner list makes a group of entries."""
    node: Wire = {"type": "block", "children": children_of("ui.block", children)}
    if controls is not None:
        node["controls"] = [
            list(control) if isinstance(control, (list, tuple)) else control
            for control in controls
            if control is not None
        ]
    return Block(node)


def modal(
    *children: Children,
    title: str | None = None,
    subtitle: InlinePart = None,
    size: ModalSize | None = None,
    return_value: Mapping[str, Any] | None = None,
    submit: Button | None = None,
) -> Modal:
    """Draw a modal; `return_value` goes to the component below if it is closed without an action."""
    node: Wire = {"type": "modal", "children": children_of("ui.modal", children)}
    if title is not None:
        node["title"] = title
    if subtitle is not None:
        node["subtitle"] = children_of("ui.modal: subtitle", [subtitle])
    if size is not None:
        node["size"] = one_of("ui.modal: size", size, ("medium", "xlarge", "fullscreen"))
    if return_value is not None:
        node["returnValue"] = dict(return_value)
    if submit is not None:
        node["submit"] = buttons_of("ui.modal: submit", [submit])[0]
    return Modal(node)


def configuration(*children: Children | Stepper) -> Configuration:
    """Draw a configuration screen: exactly one stepper, or one or more other elements."""
    checked = children_of("ui.configuration", children)
    steppers = sum(child.get("type") == "stepper" for child in checked)
    if not checked or (steppers and len(checked) > 1):
        raise ValueError("ui.configuration holds exactly one ui.stepper(...), or one or more other elements")
    return Configuration({"type": "configuration", "children": checked})


def vstack(*children: Children, align: Align | None = None) -> Layout:
    """Put elements below each other."""
    return _stack("vstack", children, align)


def hstack(*children: Children, align: Align | None = None) -> Layout:
    """Put elements side by side."""
    return _stack("hstack", children, align)


def _stack(kind: str, children: Sequence[Children], align: Align | None) -> Layout:
    node: Wire = {"type": kind}
    if align is not None:
        node["align"] = one_of(f"ui.{kind}: align", align, ("start", "center", "end"))
    node["children"] = children_of(f"ui.{kind}", children)
    return Layout(node)


def box(*children: Children, grow: float | None = None) -> Layout:
    """Wrap elements; `grow` is the share of the free space in a stack."""
    node: Wire = {"type": "box"}
    if grow is not None:
        node["grow"] = grow
    node["children"] = children_of("ui.box", children)
    return Layout(node)


def divider(*, size: DividerSize | None = None) -> Layout:
    """Draw a line between elements."""
    node: Wire = {"type": "divider"}
    if size is not None:
        node["size"] = one_of("ui.divider: size", size, ("small", "medium", "large"))
    return Layout(node)


def card(
    *children: Children,
    title: str | None = None,
    hint: InlinePart = None,
    icon: Icon | Image | None = None,
    on_press: Action | None = None,
    buttons: Sequence[Button | None] | None = None,
) -> Layout:
    """Draw a card; `hint` is the line under its title, `buttons` are in its top right corner."""
    node: Wire = {"type": "card"}
    if title is not None:
        node["title"] = title
    if hint is not None:
        node["hint"] = hint if isinstance(hint, str) else children_of("ui.card: hint", [hint])
    if icon is not None:
        node["icon"] = wire_icon("ui.card: icon", icon)
    if on_press is not None:
        node["onPress"] = wire_action("ui.card: on_press", on_press)
    checked = children_of("ui.card", children)
    if checked:
        node["children"] = checked
    if buttons is not None:
        node["buttons"] = buttons_of("ui.card: buttons", buttons)
    return Layout(node)


def stepper(*steps: Step | None, active_step: str, on_step_change: Action, on_complete: Action) -> Stepper:
    """Draw steps one after the other; the only child of a configuration. `active_step` is the id of a step."""
    given_steps = [step for step in steps if step is not None]
    ids = tuple(str(step.get("id")) for step in given_steps)
    if not given_steps or any(step.get("type") != "step" for step in given_steps):
        raise ValueError("ui.stepper holds one or more ui.step(...)")
    node: Wire = {
        "type": "stepper",
        "activeStep": one_of("ui.stepper: active_step", active_step, ids),
        "onStepChange": wire_action("ui.stepper: on_step_change", on_step_change),
        "onComplete": wire_action("ui.stepper: on_complete", on_complete),
        "children": given_steps,
    }
    return Stepper(node)


def step(id: str, *children: Children, title: str | None = None, next: bool | None = None) -> Step:
    """Create one step of a stepper; `next` says whether the user may continue."""
    node: Wire = {"type": "step", "id": id}
    if title is not None:
        node["title"] = at_most("ui.step: title", title, 50)
    if next is not None:
        node["next"] = next
    node["children"] = children_of("ui.step", children)
    if not node["children"]:
        raise ValueError("ui.step holds one or more elements")
    return Step(node)
