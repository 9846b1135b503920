"""What a render output violates, and what it leaves out that assistive technology needs."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.contract.accessibility import warnings
from runtime.contract.contentkit import ELEMENTS, HOST_ACTIONS, ICONS, MOST, ROOTS, violations
from runtime.sdk import ui
from runtime.sdk.elements import making
from tests.runtime.sdk import element_builders as builders


def output(*children: Any, **more: Any) -> dict[str, Any]:
    return {"type": "element", "state": {}, "props": {}, "element": {"type": "block", "children": [*children]}, **more}


def around(element: dict[str, Any]) -> dict[str, Any]:
    """An output in which an element stands where it may."""
    if element["type"] in ROOTS:
        return {**output(), "element": element}
    if element["type"] == "step":
        element = ui.stepper(element, active_step=element["id"], on_step_change="a", on_complete="b")
    if element["type"] == "stepper":
        return {**output(), "element": ui.configuration(element)}
    return output(element)


def told(value: Any) -> list[str]:
    return [str(one) for one in violations(value)]


def test_the_rules_know_the_elements_and_icons_the_builders_know() -> None:
    assert set(ELEMENTS) == set(ui.ELEMENTS)
    assert ICONS == making.ICONS


@pytest.mark.parametrize("case", [(name, n) for n in (0, 1) for name in (builders.LEAST, builders.MOST)[n]])
def test_what_the_builders_make_violates_nothing(case: tuple[str, int]) -> None:
    name, table = case
    built = (builders.LEAST, builders.MOST)[table][name][0]()
    assert told(around(built)) == []


@pytest.mark.parametrize("name", ELEMENTS)
def test_what_an_element_needs_is_missed(name: str) -> None:
    needed = {prop.rstrip("!") for prop in builders.CONTRACT[name].split() if prop.endswith("!")}
    missed = {str(one).partition(": ") for one in violations({**output(), "element": {"type": name}})}
    assert {path.rpartition(".")[2] for path, _, rule in missed if rule == "is missing"} == needed


def test_what_jsx_leaves_behind_is_no_child() -> None:
    assert told(output(None, False, True, "", ui.text("a", 1))) == []


PRESS = {"type": "button", "label": "Go", "onPress": {"action": "go"}}


@pytest.mark.parametrize(
    ("value", "violation"),
    [
        ([], "output: must be an object; it is a list"),
        ({"type": "else"}, "type: must be one of element, complete"),
        ({"type": "complete", "returnValue": 1}, "output.returnValue: must be an object; it is a number"),
        ({"element": {"type": "block", "children": []}, "state": {}}, "props: is missing"),
        ({**output(), "state": None}, "state: must be an object; it is null"),
        ({**output(), "element": None}, "element: must be an element"),
        ({**output(), "element": PRESS}, "element: `button` is not allowed here, only block, configuration, modal"),
        (output("words"), 'element.children[0]: must be an element; write {"type": "text"'),
        (output({"type": "marquee"}), "element.children[0].type: must name an element; `marquee` is not one"),
        (
            output({"type": "block", "children": []}),
            "element.children[0]: `block` is not allowed here, only as the root",
        ),
        (output(builders.LEAST["step"][0]()), "element.children[0]: `step` is not allowed here, only in a `stepper`"),
        (
            output(builders.LEAST["stepper"][0]()),
            "element.children[0]: `stepper` is not allowed here, only as the one child",
        ),
        (output({**PRESS, "style": "loud"}), "element.children[0].style: must be one of primary, secondary, danger"),
        (output({**PRESS, "onPress": "go"}), "element.children[0].onPress: must be an object; it is a text"),
        (output({**PRESS, "onPress": {}}), "element.children[0].onPress.action: is missing"),
        (output({**PRESS, "icon": "rocket"}), "element.children[0].icon: must be one of close, edit"),
        (
            output({**PRESS, "confirm": {"title": "t" * 101, "text": "", "confirm": ""}}),
            "element.children[0].confirm.title: may have 100 characters; it has 101",
        ),
        (
            output({"type": "image", "source": {"url": "a.png"}, "aspectRatio": 1}),
            "element.children[0].source.url: must be an absolute address",
        ),
        (
            output({"type": "image", "source": {"url": "https://x.example/a.png"}, "aspectRatio": 0}),
            "element.children[0].aspectRatio: must be more than 0",
        ),
        (
            output({"type": "input", "label": "L", "element": {"type": "text", "children": ["x"]}}),
            "element.children[0].element: `text` is not allowed here, only button, checkbox",
        ),
        (
            output({"type": "select", "state": "k", "options": [{"id": "a"}]}),
            "element.children[0].options[0].label: is missing",
        ),
        (
            output({"type": "select", "state": "k", "options": {"source": "files"}}),
            "element.children[0].options.source: must be one of openapi",
        ),
        (
            output({"type": "webframe", "source": {"url": "https://x.example"}, "data": {"a b": 1}}),
            "element.children[0].data['a b']: must be a text or an object; it is a number",
        ),
        (
            output({"type": "text", "children": [{"type": "markdown", "content": ""}]}),
            "element.children[0].children[0]",
        ),
        (output({"type": "markdown", "content": {"state": "k"}}), "element.children[0].content.$state: is missing"),
        (
            {**output(), "element": {"type": "configuration", "children": [builders.LEAST["stepper"][0](), PRESS]}},
            "element.children: holds a `stepper`, next to which nothing else is allowed",
        ),
        (
            {**output(), "element": {"type": "configuration", "children": [None]}},
            "element.children: must have at least 1; it has 0",
        ),
        (
            {**output(), "element": {"type": "block", "children": [], "controls": [[{"label": "L"}]]}},
            "element.controls[0][0].onPress: is missing",
        ),
    ],
)
def test_violations(value: Any, violation: str) -> None:
    found = told(value)
    assert len(found) == 1
    assert found[0].startswith(violation)


@pytest.mark.parametrize(
    ("action", "missing"),
    [("@ui.modal.open", "componentId"), ("@ui.url.open", "url"), ("@editor.node.updateProps", "props")],
)
def test_actions_of_the_host_need_their_properties(action: str, missing: str) -> None:
    assert action in HOST_ACTIONS
    found = told(output({**PRESS, "onPress": {"action": action}}))
    assert f"element.children[0].onPress.{missing}: is missing" in found


def test_all_are_told_at_once_up_to_a_bound() -> None:
    wrong = {"type": "button", "style": 1, "icon": 2}
    assert len(violations(output(wrong, wrong))) == 6
    assert len(violations(output(*[wrong] * 500))) == MOST
    deep: Any = ui.text("x")
    for _ in range(40):
        deep = {"type": "vstack", "children": [deep]}
    assert told(output(deep)) == ["output: must not be nested deeper than 64 levels"]


@pytest.mark.parametrize(
    ("element", "warning"),
    [
        (ui.image("https://x.example/a.png", aspect_ratio=1), "the image has no `alt`"),
        (ui.textinput("k", placeholder="Name"), "the textinput has no label"),
        (ui.codeblock("", state="k"), "the editable codeblock has no label"),
        (ui.input(" ", ui.textinput("k")), "the input has no label"),
        (ui.button(icon="edit", on_press="a"), "the button has no text"),
        (ui.card(on_press="a"), "the card can be pressed and has no title"),
        (ui.link(url="https://x.example"), "the link has no text"),
        (ui.vstack(ui.card(icon=ui.image("https://x.example/a.png", aspect_ratio=1))), "the image has no `alt`"),
    ],
)
def test_what_somebody_who_cannot_see_would_miss(element: Any, warning: str) -> None:
    assert any(
        one.rule.startswith(warning) and one.path.startswith("element.children[0]") for one in warnings(output(element))
    )


def test_what_is_labelled_gives_no_warning() -> None:
    fine = [
        ui.image("https://x.example/a.png", aspect_ratio=1, alt=""),
        ui.input("Name", ui.textinput("k")),
        ui.input("Code", ui.codeblock("", state="k")),
        ui.codeblock("x"),
        ui.button(icon="edit", tooltip="Edit", on_press="a"),
        ui.card(title="Open", on_press="a"),
        ui.link("Where", url="https://x.example"),
    ]
    assert warnings(output(*fine)) == []
    assert [one.rule for one in warnings({**output(), "element": ui.modal()})] == [
        "the modal has no title: say what it is about"
    ]
    assert warnings([]) == []
