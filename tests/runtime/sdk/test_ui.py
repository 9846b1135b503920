"""Every element, against the list of the ContentKit contract."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sdk import ui
from runtime.sdk.elements import making, shapes
from tests.runtime.sdk.element_builders import CONTRACT, LEAST, MOST, PNG


def test_there_is_a_builder_for_every_element() -> None:
    assert set(ui.ELEMENTS) == set(CONTRACT) == set(LEAST)
    assert all(getattr(ui, name) is builder for name, builder in ui.ELEMENTS.items())


@pytest.mark.parametrize(
    ("element", "build", "fields"),
    [(element, *case) for cases in (LEAST, MOST) for element, case in cases.items()],
)
def test_builders(element: str, build: Callable[[], Any], fields: dict[str, Any]) -> None:
    created = build()
    assert created == {"type": element, **fields}
    assert json.loads(json.dumps(created)) == created
    props = {name.rstrip("!"): name.endswith("!") for name in CONTRACT[element].split()}
    assert set(fields) <= set(props)
    assert {name for name, required in props.items() if required} <= set(fields)


@pytest.mark.parametrize("element", CONTRACT)
def test_every_prop_of_the_contract_can_be_given(element: str) -> None:
    least, most = LEAST[element], MOST.get(element, LEAST[element])
    given_ = {**least[0](), **most[0]()}
    assert {name.rstrip("!") for name in CONTRACT[element].split()} == set(given_) - {"type"}


@pytest.mark.parametrize("element", CONTRACT)
def test_signatures_are_typed(element: str) -> None:
    signature = inspect.signature(ui.ELEMENTS[element])
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not parameter.empty for parameter in signature.parameters.values())


def test_icons_are_those_of_the_contract() -> None:
    assert get_args(shapes.Icon) == making.ICONS
    assert len(making.ICONS) == 18


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: ui.button(on_press="a", style="big"),
            "ui.button: style must be one of primary, secondary, danger; got 'big'",
        ),
        (lambda: ui.text("a", style="loud"), "ui.text: style must be one of bold, italic, code, strikethrough"),
        (lambda: ui.vstack(align="left"), "ui.vstack: align must be one of start, center, end"),
        (lambda: ui.hstack(align="left"), "ui.hstack: align must be one of start, center, end"),
        (lambda: ui.divider(size="huge"), "ui.divider: size must be one of small, medium, large"),
        (lambda: ui.modal(size="small"), "ui.modal: size must be one of medium, xlarge, fullscreen"),
        (
            lambda: ui.textinput("k", input_type="number"),
            "ui.textinput: input_type must be one of text, password, email",
        ),
        (lambda: ui.confirm("a", "b", "c", style="secondary"), "ui.confirm: style must be one of primary, danger"),
        (lambda: ui.confirm("a" * 101, "b", "c"), "ui.confirm: title may have 100 characters, got 101"),
        (lambda: ui.confirm("a", "b" * 301, "c"), "ui.confirm: text may have 300 characters"),
        (lambda: ui.confirm("a", "b", "c" * 31), "ui.confirm: confirm may have 30 characters"),
        (lambda: ui.step("a", "x", title="t" * 51), "ui.step: title may have 50 characters"),
        (lambda: ui.step("a"), "ui.step holds one or more elements"),
        (lambda: ui.button(on_press="a", icon="rocket"), "ui.button: icon must be one of close, edit, "),
        (lambda: ui.card(icon="rocket"), "ui.card: icon must be one of close"),
        (lambda: ui.option("a", icon="rocket"), "ui.option: icon must be one of close"),
        (lambda: ui.input("L", ui.text("x")), "ui.input: element must be one of textinput, select"),
        (lambda: ui.configuration(), "ui.configuration holds exactly one ui.stepper"),
        (lambda: ui.configuration("x", LEAST["stepper"][0]()), "ui.configuration holds exactly one ui.stepper"),
        (
            lambda: ui.stepper(active_step="a", on_step_change="c", on_complete="d"),
            "ui.stepper holds one or more ui.step",
        ),
        (
            lambda: ui.stepper(ui.step("a", "x"), active_step="b", on_step_change="c", on_complete="d"),
            "ui.stepper: active_step must be one of a; got 'b'",
        ),
    ],
)
def test_a_value_outside_its_list_names_the_allowed_ones(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        build()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    "build",
    [
        lambda: ui.button(on_press=print),
        lambda: ui.button(on_press={"name": "x"}),
        lambda: ui.block(object()),
        lambda: ui.text(object()),
        lambda: ui.card(buttons=[ui.text("x")]),
        lambda: ui.modal(submit=ui.text("x")),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(build: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"^ui\."):
        build()


def test_images_may_stand_for_icons() -> None:
    image = ui.image("https://x.example/a.png", aspect_ratio=1.5)
    assert ui.card(icon=image)["icon"] == PNG
    assert ui.option("a", icon=image)["icon"] == PNG


def test_host_actions_and_answers() -> None:
    assert ui.open_modal("m", {"a": 1}) == {"action": "@ui.modal.open", "componentId": "m", "props": {"a": 1}}
    assert ui.open_modal("m") == {"action": "@ui.modal.open", "componentId": "m", "props": {}}
    assert ui.close_modal() == {"action": "@ui.modal.close", "returnValue": {}}
    assert ui.open_url("https://x.example") == {"action": "@ui.url.open", "url": "https://x.example"}
    assert ui.update_node_props({"a": ui.state("k")}) == {
        "action": "@editor.node.updateProps",
        "props": {"a": {"$state": "k"}},
    }
    assert ui.update() == {}
    assert ui.update(state={}, props={"a": 1}) == {"state": {}, "props": {"a": 1}}
    assert ui.complete() == {"type": "complete"}
    assert ui.complete({}) == {"type": "complete", "returnValue": {}}


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        (ui.openapi_options(), {"source": "openapi"}),
        (ui.url("x.example", "/o"), {"url": {"host": "x.example", "pathname": "/o"}}),
        ([], []),
    ],
)
def test_select_options(options: Any, wire: object) -> None:
    assert ui.select("k", options)["options"] == wire


# Any mixture of what JSX would accept as children.
LEAVES = st.none() | st.booleans() | st.text() | st.integers() | st.just(ui.divider())
NESTED = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=12)


def flat(parts: Any) -> list[Any]:
    return [leaf for part in parts for leaf in (flat(part) if isinstance(part, list) else [part])]


@given(parts=st.lists(NESTED, max_size=6))
def test_children_are_flat_elements_in_order(parts: list[Any]) -> None:
    leaves = [leaf for leaf in flat(parts) if leaf is not None and not isinstance(leaf, bool) and leaf != ""]
    expected = [leaf if isinstance(leaf, dict) else {"type": "text", "children": [leaf]} for leaf in leaves]
    assert ui.block(*parts)["children"] == expected
    assert ui.vstack(parts)["children"] == expected


@given(parts=st.lists(NESTED, max_size=6))
def test_text_keeps_strings_and_numbers(parts: list[Any]) -> None:
    leaves = [leaf for leaf in flat(parts) if leaf is not None and not isinstance(leaf, bool) and leaf != ""]
    assert ui.text(*parts)["children"] == leaves
