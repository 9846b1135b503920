"""The types of ContentKit: which elements are allowed where. Every element is a JSON-compatible dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NewType, NotRequired, TypeAlias, TypedDict

Wire: TypeAlias = dict[str, Any]

# Roots: what a component answers.
Block = NewType("Block", Wire)
Modal = NewType("Modal", Wire)
Configuration = NewType("Configuration", Wire)
Root: TypeAlias = Block | Modal | Configuration

# Children, by what else they may be.
Text = NewType("Text", Wire)
Link = NewType("Link", Wire)
Image = NewType("Image", Wire)
Inline: TypeAlias = Text | Link | Image
Button = NewType("Button", Wire)
CodeBlock = NewType("CodeBlock", Wire)
TextInput = NewType("TextInput", Wire)
Select = NewType("Select", Wire)
Switch = NewType("Switch", Wire)
Checkbox = NewType("Checkbox", Wire)
Radio = NewType("Radio", Wire)
Control: TypeAlias = Button | CodeBlock | TextInput | Select | Switch | Checkbox | Radio
Layout = NewType("Layout", Wire)
Step = NewType("Step", Wire)
Stepper = NewType("Stepper", Wire)
Child: TypeAlias = Inline | Control | Layout

# What may be given for children: text becomes a text element, lists are flattened, None and booleans are left out.
Children: TypeAlias = "Child | str | int | float | bool | Sequence[Children] | None"
TextPart: TypeAlias = "Text | Link | str | int | float | bool | Sequence[TextPart] | None"
InlinePart: TypeAlias = "Inline | str | int | float | bool | Sequence[InlinePart] | None"
ControlEntry: TypeAlias = "BlockControl | Sequence[BlockControl] | None"

Icon = Literal[
    "close",
    "edit",
    "github",
    "gitlab",
    "maximize",
    "email",
    "settings",
    "search",
    "delete",
    "star",
    "warning",
    "link",
    "link-external",
    "eye",
    "eye-off",
    "lock",
    "check",
    "check-circle",
]
TextStyle = Literal["bold", "italic", "code", "strikethrough"]
ButtonStyle = Literal["primary", "secondary", "danger"]
ConfirmStyle = Literal["primary", "danger"]
Align = Literal["start", "center", "end"]
DividerSize = Literal["small", "medium", "large"]
ModalSize = Literal["medium", "xlarge", "fullscreen"]
InputType = Literal["text", "password", "email"]

# An action: its name, or an object with `action` and further properties (see `ui.action`).
Action: TypeAlias = str | Mapping[str, Any]

Binding = TypedDict("Binding", {"$state": str})
"""Stands for the current value of a state key."""

TextOrBinding: TypeAlias = str | Mapping[str, str]


class Url(TypedDict):
    """An address in parts, whose query may hold bindings."""

    host: str
    pathname: str
    query: NotRequired[Mapping[str, Any]]


class Confirm(TypedDict):
    """A question asked before an action."""

    title: str
    text: str
    confirm: str
    style: NotRequired[ConfirmStyle]


class SelectOption(TypedDict):
    """One entry of a select."""

    id: str
    label: str
    icon: NotRequired[Any]


class BuiltInOptions(TypedDict):
    """A list of options that the platform provides."""

    source: Literal["openapi"]


class BlockControl(TypedDict):
    """One entry in the menu of a block."""

    label: str
    onPress: Mapping[str, Any]
    icon: NotRequired[Icon]
    confirm: NotRequired[Confirm]


# Static options, the address of a remote list, or a list the platform provides.
Options: TypeAlias = Sequence[SelectOption | str] | Url | BuiltInOptions | str
