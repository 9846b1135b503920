"""A component on a screen, as a test looks at it and acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devkit.rendering.elements import WRITTEN, Element, label, labels, text, walk
from devkit.rendering.view import View

__tracebackhide__ = True  # a failed test shows its own lines, and the script's


class Render:
    """What a component shows now. Acting on it changes it in place, and gives it back.

    Where the script refuses, Refused is raised and the screen stays as it was; what cannot be found or pressed is an
    AssertionError that names what is there.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    @property
    def tree(self) -> Element:
        """The root element, as it travels."""
        return self._view.root

    @property
    def output(self) -> dict[str, Any]:
        """The whole output: element, state, props."""
        return self._view.output

    @property
    def text(self) -> str:
        """All words on the screen."""
        return text(self.tree, self.state)

    @property
    def state(self) -> dict[str, Any]:
        """The state, with what was typed and chosen."""
        return self._view.state

    @property
    def props(self) -> dict[str, Any]:
        """The properties it was drawn with."""
        return self._view.props

    @property
    def stored(self) -> dict[str, Any] | None:
        """The properties the document stores; None while nothing was stored."""
        return self._view.stored

    @property
    def opened(self) -> list[str]:
        """The addresses that were opened."""
        return self._view.opened

    @property
    def modal(self) -> Render | None:
        """The overlay on top; None if there is none."""
        return Render(self._view.modal) if self._view.modal is not None else None

    @property
    def finished(self) -> bool:
        """Whether the component is complete, with what is in `returned`."""
        return self._view.finished

    @property
    def returned(self) -> Any:
        """What the component handed back when it was complete."""
        return self._view.returned

    def find_all(self, kind: str | None = None, *, label: str | None = None, **props: Any) -> list[Element]:
        """Return the elements of a type, with a label or words, and with properties."""
        return [element for element in walk(self.tree) if self._fits(element, kind, label, props)]

    def find(self, kind: str | None = None, *, label: str | None = None, **props: Any) -> Element:
        """Return the one element of a type, with a label or words, and with properties."""
        elements = self.find_all(kind, label=label, **props)
        description = " ".join(filter(None, (kind or "element", repr(label) if label is not None else "")))
        description += "".join(f" {name}={value!r}" for name, value in props.items())
        if len(elements) == 1:
            return elements[0]
        raise AssertionError(
            f"there {'is no' if not elements else f'are {len(elements)} of'} {description}; {self._there(kind)}"
        )

    def click(self, label: str) -> Render:
        """Press the button, card, link or menu entry of this label, as a person does who agrees when asked."""
        buttons = [element for element in walk(self.tree) if self._pressable(element) and self._called(element, label)]
        if len(buttons) != 1:
            there = (
                ", ".join(repr(self._name(button)) for button in walk(self.tree) if self._pressable(button))
                or "nothing"
            )
            raise AssertionError(
                f"{'nothing' if not buttons else f'{len(buttons)} things'} can be pressed by the name {label!r}; "
                f"there is {there}"
            )
        (button,) = buttons
        if button.get("disabled") is True:
            raise AssertionError(f"{label!r} is disabled")
        if button.get("type") == "link":
            target = button.get("target") or {}
            self._view.act({"action": "@ui.url.open", "url": target.get("url", "")})
        else:
            self._view.act(button["onPress"])
        return self

    def type(self, name: str, words: str) -> Render:
        """Type into the text field, or edit the code, of this id or label."""
        field = self._control(name, "textinput", "codeblock", "select")
        if field["type"] == "select" and not field.get("acceptInput"):
            raise AssertionError(f"{name!r} is a select that takes no typed text; use .select({name!r}, ...)")
        return self._write(field, words, "onContentChange" if field["type"] == "codeblock" else "onValueChange")

    def select(self, name: str, value: Any) -> Render:
        """Choose an option of the select, or one of the radios, of this id or label."""
        field = self._control(name, "select", "radio", value=value)
        options = field.get("options")
        if isinstance(options, list) and not field.get("acceptInput"):
            known = [option.get("id") for option in options]
            for item in value if isinstance(value, list) else [value]:
                assert item in known, f"{name!r} has no option {item!r}; options are {', '.join(map(repr, known))}"
        return self._write(field, value, "onValueChange")

    def switch(self, name: str, on: bool = True) -> Render:
        """Turn the switch of this id or label on or off."""
        return self._write(self._control(name, "switch"), on, "onValueChange")

    def check(self, name: str, value: Any = None, on: bool = True) -> Render:
        """Tick the checkbox of this id or label, or take the tick away; `value` distinguishes those of one id."""
        field = self._control(name, "checkbox", value=value)
        values = [entry for entry in self.state.get(field["state"]) or [] if entry != field.get("value")]
        return self._write(field, [*values, field.get("value")] if on else values, "onValueChange")

    def step(self, step: str) -> Render:
        """Go to another step of the stepper."""
        stepper = self.find("stepper")
        assert any(child.get("id") == step for child in stepper["children"]), f"the stepper has no step {step!r}"
        self._view.act({**stepper["onStepChange"], "step": step})
        return self

    def act(self, action: str, **properties: Any) -> Render:
        """Send an action of this name, as a web frame may."""
        self._view.act({"action": action, **properties})
        return self

    def close(self) -> Render:
        """Close this overlay without its submit button."""
        self._view.dismiss()
        return self

    def _write(self, field: Element, value: Any, then: str) -> Render:
        if field.get("disabled") is True:
            raise AssertionError(f"{field['state']!r} is disabled")
        self._view.write(field["state"], value)
        if isinstance(field.get(then), Mapping):
            self._view.act(field[then])
        return self

    def _control(self, name: str, *kinds: str, value: Any = None) -> Element:
        named = labels(self.tree)
        there = [
            element
            for element in walk(self.tree)
            if element.get("type") in WRITTEN and isinstance(element.get("state"), str)
        ]
        fields = [field for field in there if field["type"] in kinds and name in (field["state"], named.get(id(field)))]
        if len(fields) > 1 and value is not None:
            fields = [field for field in fields if field.get("value") == value]
        if len(fields) != 1:
            listed = ", ".join(f"{field['type']} {field['state']!r}" for field in there) or "none"
            known = "no" if not fields else f"{len(fields)} times a"
            raise AssertionError(f"there is {known} {' or '.join(kinds)} {name!r}; controls: {listed}")
        return fields[0]

    def _pressable(self, element: Element) -> bool:
        return isinstance(element.get("onPress"), dict) or element.get("type") == "link"

    def _name(self, element: Element) -> str:
        return label(element) or labels(self.tree).get(id(element), "")

    def _called(self, element: Element, label: str) -> bool:
        return self._name(element) == label or element.get("tooltip") == label

    def _fits(self, element: Element, kind: str | None, named: str | None, props: Mapping[str, Any]) -> bool:
        return (
            (kind is None or element.get("type") == kind)
            and (named is None or self._name(element) == named or text(element, self.state) == named)
            and all(element.get(name) == value for name, value in props.items())
        )

    def _there(self, kind: str | None) -> str:
        alike = [element for element in walk(self.tree) if element.get("type") == kind]
        listed = ", ".join(repr(self._name(element) or text(element, self.state)) for element in alike)
        kinds = ", ".join(dict.fromkeys(str(element.get("type")) for element in walk(self.tree)))
        return f"{kind}: {listed}" if alike else f"on the screen: {kinds or 'nothing'}"
