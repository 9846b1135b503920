"""How components render and act (docs/contract/contentkit.md, "Rendering")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sdk import Element, ExposableError, Integration, Response, ui

Render = Callable[..., Any]
PRESS = {"action": "increment"}


@pytest.fixture
def counter() -> Integration:
    """The counter that the documentation shows, word for word."""
    integration = Integration()

    @integration.component("counter", state={"count": 0})
    def counter(element):  # type: ignore[no-untyped-def]
        return ui.block(ui.text(f"Clicked {element.state['count']} times"), ui.button("Click me", on_press="increment"))

    @counter.action("increment")
    def increment(element):  # type: ignore[no-untyped-def]
        return ui.update(state={"count": element.state["count"] + 1})

    @integration.on("space_content_updated")
    def updated(event, context):  # type: ignore[no-untyped-def]
        context.log.info("revision %s", event["revisionId"])

    @integration.fetch("POST", "/hook")
    def hook(request, context):  # type: ignore[no-untyped-def]
        context.queue_task({"type": "sync", "body": request.json()}, schedule=5)
        return Response.json({"queued": True})

    return integration


def drawn(count: int) -> dict[str, Any]:
    return {
        "type": "block",
        "children": [
            {"type": "text", "children": [f"Clicked {count} times"]},
            {"type": "button", "onPress": PRESS, "label": "Click me"},
        ],
    }


def test_first_render_uses_the_initial_state(counter: Integration, render: Render) -> None:
    response = render(counter, "counter", props={"a": 1})
    assert response.status == 200
    assert response.raw.headers == [("content-type", "application/json")]
    assert response.json == {"type": "element", "state": {"count": 0}, "props": {"a": 1}, "element": drawn(0)}


@pytest.mark.parametrize("state", [None, {}])
def test_a_missing_or_empty_state_is_the_initial_one(counter: Integration, render: Render, state: object) -> None:
    assert render(counter, "counter", state=state).json["state"] == {"count": 0}


@given(count=st.integers(min_value=1, max_value=2**53), others=st.dictionaries(st.text(), st.text()))
def test_an_action_replaces_the_state_and_renders(render: Render, count: int, others: dict[str, str]) -> None:
    integration = Integration()
    component = integration.component("c")(lambda element: ui.block(ui.text(element.state["count"])))
    component.action("increment")(lambda element: ui.update(state={"count": element.state["count"] + 1}))
    output = render(integration, "c", state={**others, "count": count}, action=PRESS).json
    assert output["state"] == {"count": count + 1}
    assert output["element"]["children"] == [{"type": "text", "children": [count + 1]}]


def test_calls_do_not_share_the_initial_state(render: Render) -> None:
    integration = Integration()
    component = integration.component("c", state={"items": []})(lambda: ui.block())

    @component.action("add")
    def add(element: Element) -> None:
        element.state["items"].append(1)

    for _ in range(2):
        assert render(integration, "c", action={"action": "add"}).json["state"] == {"items": [1]}


def test_update_replaces_as_a_whole_and_leaves_what_is_not_given(render: Render) -> None:
    integration = Integration()
    component = integration.component("c")(lambda: ui.block())
    component.action("state")(lambda: ui.update(state={"new": 1}))
    component.action("props")(lambda: ui.update(props={"new": 2}))
    component.action("nothing")(lambda: None)
    given_ = {"state": {"old": 1}, "props": {"old": 2}}
    for action, expected in {
        "state": ({"new": 1}, {"old": 2}),
        "props": ({"old": 1}, {"new": 2}),
        "nothing": ({"old": 1}, {"old": 2}),
        "unknown": ({"old": 1}, {"old": 2}),
    }.items():
        output = render(integration, "c", action={"action": action}, **given_).json
        assert (output["state"], output["props"]) == expected


def test_complete_answers_without_rendering(render: Render) -> None:
    integration = Integration()
    rendered: list[int] = []
    component = integration.component("c")(lambda: rendered.append(1))
    component.action("done")(lambda: ui.complete({"a": 1}))
    component.action("just")(lambda: ui.complete())
    assert render(integration, "c", action={"action": "done"}).json == {"type": "complete", "returnValue": {"a": 1}}
    assert render(integration, "c", action={"action": "just"}).json == {"type": "complete"}
    assert rendered == []


def test_any_action_takes_what_has_no_handler(render: Render) -> None:
    integration = Integration()
    component = integration.component("c")(lambda: ui.block())
    component.action("known")(lambda: ui.update(state={"by": "known"}))
    component.action("*")(lambda action: ui.update(state={"by": action["n"]}))
    assert render(integration, "c", action={"action": "known"}).json["state"] == {"by": "known"}
    assert render(integration, "c", action={"action": "@ui.modal.close", "n": 1}).json["state"] == {"by": 1}


@pytest.mark.parametrize("in_action", [True, False])
@pytest.mark.parametrize("age", [0, 60])
def test_cache_header_only_when_asked_for(render: Render, age: int, in_action: bool) -> None:
    integration = Integration()
    quiet: list[Any] = [lambda element: ui.block(), lambda element: element.set_cache(age)]

    def caching(element: Element) -> Any:
        element.set_cache(max_age=age)
        return ui.block()

    component = integration.component("c")(quiet[0] if in_action else caching)
    if in_action:
        component.action("go")(quiet[1])
    response = render(integration, "c", action={"action": "go"})
    assert response.headers["cache-control"] == f"max-age={age}"


def test_a_negative_age_is_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        Element("c", {}, {}, {"type": "document", "theme": "light"}).set_cache(-1)


def test_state_may_be_a_function_of_props_and_environment(render: Render) -> None:
    integration = Integration()

    def start(props: dict[str, Any], environment: dict[str, Any]) -> dict[str, Any]:
        return {"name": props["name"], "color": environment["installation"]["configuration"]["color"]}

    integration.component("c", state=start)(lambda: ui.block())
    assert render(integration, "c", props={"name": "n"}).json["state"] == {"name": "n", "color": "red"}


def test_the_element_knows_where_it_is_drawn(render: Render) -> None:
    integration = Integration()
    integration.component("c")(
        lambda element: ui.block(
            f"{element.component_id} {element.context['theme']}", ui.markdown(element.dynamic_state("k"))
        )
    )
    children = render(integration, "c").json["element"]["children"]
    assert children == [{"type": "text", "children": ["c light"]}, {"type": "markdown", "content": {"$state": "k"}}]


@pytest.mark.parametrize(
    ("returned", "sentence"), [(None, "NoneType"), ("text", "str"), ({"type": "text"}, "returned text")]
)
def test_a_component_must_return_a_root(render: Render, returned: object, sentence: str) -> None:
    integration = Integration()
    integration.component("c")(lambda: returned)
    response = render(integration, "c")
    assert response.status == 500
    assert sentence in str(response.raw.error)
    assert "it must return ui.block(...)" in str(response.raw.error)
    assert 'component "c" (test_component.py:' in str(response.raw.error)


def test_an_action_must_return_an_answer(render: Render) -> None:
    integration = Integration()
    integration.component("c")(lambda: ui.block()).action("a")(lambda: 5)
    response = render(integration, "c", action={"action": "a"})
    assert response.status == 500
    assert "returned int" in str(response.raw.error)


def test_state_that_json_cannot_hold_is_500(render: Render) -> None:
    integration = Integration()
    integration.component("c", state=lambda: {"x": float("nan")})(lambda: ui.block())
    assert render(integration, "c").status == 500


def test_an_exposable_error_reaches_the_person(render: Render) -> None:
    integration = Integration()

    @integration.component("c")
    def fails() -> Any:
        raise ExposableError("Set a color first", 422)

    response = render(integration, "c")
    assert (response.status, response.json) == (422, {"error": "Set a color first"})
