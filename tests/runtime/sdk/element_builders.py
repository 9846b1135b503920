"""Every element of ContentKit, as builders make it with the least and with the most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.sdk import ui

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
