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

# docs/contract/contentkit.md, "Elements": element, props (required ones marked with "!"). `alt` of an image is ours.
CONTRACT = {
    "block": "children! controls",
    "modal": "title subtitle size returnValue children! submit",
    "configuration": "children!",
    "vstack": "align children!",
    "hstack": "align children!",
    "box": "grow children!",
    "divider": "size",
    "card": "title hint icon onPress children buttons",
    "stepper": "activeStep! onStepChange! onComplete! children!",
    "step": "id! title next children!",
    "text": "style children!",
    "link": "target! children!",
    "hint": "children!",
    "markdown": "content!",
    "image": "source! aspectRatio! alt",
    "codeblock": "content! syntax lineNumbers buttons state onContentChange header footer",
    "webframe": "aspectRatio source! buttons data",
    "button": "style onPress! icon trailingIcon label tooltip confirm disabled",
    "input": "label! hint element!",
    "textinput": "disabled state! initialValue placeholder multiline inputType",
    "select": "disabled state! initialValue onValueChange placeholder multiple acceptInput options!",
    "switch": "disabled state! initialValue onValueChange confirm",
    "checkbox": "state! value! confirm",
    "radio": "disabled state! value! confirm",
}
BUTTON = {"type": "button", "onPress": {"action": "go"}, "label": "Go"}
CONFIRM = {"title": "Sure?", "text": "It is gone then.", "confirm": "Delete", "style": "danger"}
PNG = {"type": "image", "source": {"url": "https://x.example/a.png"}, "aspectRatio": 1.5}


def said(*text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "children": [part]} for part in text]


def button() -> Any:
    return ui.button("Go", on_press="go")


def sure() -> Any:
    return ui.confirm("Sure?", "It is gone then.", "Delete", style="danger")


# Every builder with nothing but what it needs, and what comes out.
LEAST: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "block": (lambda: ui.block(), {"children": []}),
    "modal": (lambda: ui.modal(), {"children": []}),
    "configuration": (lambda: ui.configuration("x"), {"children": said("x")}),
    "vstack": (lambda: ui.vstack(), {"children": []}),
    "hstack": (lambda: ui.hstack(), {"children": []}),
    "box": (lambda: ui.box(), {"children": []}),
    "divider": (lambda: ui.divider(), {}),
    "card": (lambda: ui.card(), {}),
    "stepper": (
        lambda: ui.stepper(ui.step("a", "x"), active_step="a", on_step_change="c", on_complete="d"),
        {
            "activeStep": "a",
            "onStepChange": {"action": "c"},
            "onComplete": {"action": "d"},
            "children": [{"type": "step", "id": "a", "children": said("x")}],
        },
    ),
    "step": (lambda: ui.step("a", "x"), {"id": "a", "children": said("x")}),
    "text": (lambda: ui.text(), {"children": []}),
    "link": (
        lambda: ui.link("x", url="https://x.example"),
        {"target": {"url": "https://x.example"}, "children": ["x"]},
    ),
    "hint": (lambda: ui.hint("x"), {"children": said("x")}),
    "markdown": (lambda: ui.markdown("# x"), {"content": "# x"}),
    "image": (lambda: ui.image("https://x.example/a.png", aspect_ratio=1.5), {k: PNG[k] for k in PNG if k != "type"}),
    "codeblock": (lambda: ui.codeblock("x = 1"), {"content": "x = 1"}),
    "webframe": (lambda: ui.webframe("https://x.example"), {"source": {"url": "https://x.example"}}),
    "button": (lambda: ui.button(on_press="go"), {"onPress": {"action": "go"}}),
    "input": (
        lambda: ui.input("L", ui.textinput("k")),
        {"label": "L", "element": {"type": "textinput", "state": "k"}},
    ),
    "textinput": (lambda: ui.textinput("k"), {"state": "k"}),
    "select": (
        lambda: ui.select("k", ["a", None, ui.option("b", "B")]),  # type: ignore[list-item]
        {"state": "k", "options": [{"id": "a", "label": "a"}, {"id": "b", "label": "B"}]},
    ),
    "switch": (lambda: ui.switch("k"), {"state": "k"}),
    "checkbox": (lambda: ui.checkbox("k", 1), {"state": "k", "value": 1}),
    "radio": (lambda: ui.radio("k", "v"), {"state": "k", "value": "v"}),
}

# Every builder with all it can take.
MOST: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "block": (
        lambda: ui.block(
            "x",
            controls=[
                ui.control("A", on_press="a", icon="edit", confirm=sure()),
                None,
                [ui.control("B", on_press="b")],
            ],
        ),
        {
            "children": said("x"),
            "controls": [
                {"label": "A", "onPress": {"action": "a"}, "icon": "edit", "confirm": CONFIRM},
                [{"label": "B", "onPress": {"action": "b"}}],
            ],
        },
    ),
    "modal": (
        lambda: ui.modal("x", title="T", subtitle=["S", None], size="xlarge", return_value={"r": 1}, submit=button()),
        {
            "children": said("x"),
            "title": "T",
            "subtitle": said("S"),
            "size": "xlarge",
            "returnValue": {"r": 1},
            "submit": BUTTON,
        },
    ),
    "vstack": (lambda: ui.vstack("x", align="center"), {"align": "center", "children": said("x")}),
    "hstack": (lambda: ui.hstack("x", align="end"), {"align": "end", "children": said("x")}),
    "box": (lambda: ui.box("x", grow=2), {"grow": 2, "children": said("x")}),
    "divider": (lambda: ui.divider(size="large"), {"size": "large"}),
    "card": (
        lambda: ui.card("x", title="T", hint=[ui.text("h")], icon="star", on_press="p", buttons=[button(), None]),
        {
            "title": "T",
            "hint": said("h"),
            "icon": "star",
            "onPress": {"action": "p"},
            "children": said("x"),
            "buttons": [BUTTON],
        },
    ),
    "step": (
        lambda: ui.step("a", "x", title="T", next=True),
        {"id": "a", "title": "T", "next": True, "children": said("x")},
    ),
    "text": (
        lambda: ui.text("a", 1, None, False, ["b", ui.text("c", style="code")], style="bold"),
        {"style": "bold", "children": ["a", 1, "b", {"type": "text", "style": "code", "children": ["c"]}]},
    ),
    "link": (
        lambda: ui.link("x", url=ui.url("x.example", "/p", {"q": ui.state("k")})),
        {
            "target": {"url": {"host": "x.example", "pathname": "/p", "query": {"q": {"$state": "k"}}}},
            "children": ["x"],
        },
    ),
    "markdown": (lambda: ui.markdown(ui.state("k")), {"content": {"$state": "k"}}),
    "image": (
        lambda: ui.image("https://x.example/a.png", aspect_ratio=1.5, alt="A sunset"),
        {"source": {"url": "https://x.example/a.png"}, "aspectRatio": 1.5, "alt": "A sunset"},
    ),
    "codeblock": (
        lambda: ui.codeblock(
            ui.state("k"),
            syntax="python",
            line_numbers=5,
            buttons=[button()],
            state="k",
            on_content_change="c",
            header="H",
            footer=[ui.text("F")],
        ),
        {
            "content": {"$state": "k"},
            "syntax": "python",
            "lineNumbers": 5,
            "buttons": [BUTTON],
            "state": "k",
            "onContentChange": {"action": "c"},
            "header": said("H"),
            "footer": said("F"),
        },
    ),
    "webframe": (
        lambda: ui.webframe(
            "https://x.example", aspect_ratio=2, buttons=[button()], data={"a": "b", "c": ui.state("k"), "d": None}
        ),
        {
            "source": {"url": "https://x.example"},
            "aspectRatio": 2,
            "buttons": [BUTTON],
            "data": {"a": "b", "c": {"$state": "k"}},
        },
    ),
    "button": (
        lambda: ui.button(
            "L",
            on_press=ui.action("go", by=2),
            style="danger",
            icon="edit",
            trailing_icon="check",
            tooltip="T",
            confirm=sure(),
            disabled=True,
        ),
        {
            "onPress": {"action": "go", "by": 2},
            "label": "L",
            "style": "danger",
            "icon": "edit",
            "trailingIcon": "check",
            "tooltip": "T",
            "confirm": CONFIRM,
            "disabled": True,
        },
    ),
    "input": (
        lambda: ui.input("L", button(), hint=ui.text("h")),
        {"label": "L", "element": BUTTON, "hint": {"type": "text", "children": ["h"]}},
    ),
    "textinput": (
        lambda: ui.textinput(
            "k", initial_value="v", placeholder="p", multiline=True, input_type="email", disabled=False
        ),
        {
            "state": "k",
            "initialValue": "v",
            "placeholder": "p",
            "multiline": True,
            "inputType": "email",
            "disabled": False,
        },
    ),
    "select": (
        lambda: ui.select(
            "k",
            "https://x.example/options",
            initial_value=("a",),
            on_value_change="c",
            placeholder="p",
            multiple=True,
            accept_input=True,
            disabled=True,
        ),
        {
            "state": "k",
            "options": {"url": "https://x.example/options"},
            "initialValue": ["a"],
            "onValueChange": {"action": "c"},
            "placeholder": "p",
            "multiple": True,
            "acceptInput": True,
            "disabled": True,
        },
    ),
    "switch": (
        lambda: ui.switch("k", initial_value=False, on_value_change="c", confirm=sure(), disabled=True),
        {"state": "k", "initialValue": False, "onValueChange": {"action": "c"}, "confirm": CONFIRM, "disabled": True},
    ),
    "checkbox": (lambda: ui.checkbox("k", "v", confirm=sure()), {"state": "k", "value": "v", "confirm": CONFIRM}),
    "radio": (
        lambda: ui.radio("k", 1.5, confirm=sure(), disabled=True),
        {"state": "k", "value": 1.5, "confirm": CONFIRM, "disabled": True},
    ),
}


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
