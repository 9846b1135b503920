"""The counter, from event to answer."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration


@pytest.fixture(scope="module")
def integration() -> Any:
    spec = importlib.util.spec_from_file_location("counter_sample", Path(__file__).with_name("integration.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return find_integration(vars(module))


def render(integration: Any, component: str = "counter", **fields: Any) -> tuple[int, Any]:
    context = {"type": "document", "spaceId": "sp1", "editable": False, "theme": "light"}
    event = {"eventId": "e", "type": "ui_render", "componentId": component, "props": {}, "context": context, **fields}
    raw = answer(integration, RawCall(json.dumps(event).encode(), b"{}", None, lambda level, line: None))
    return raw.status, json.loads(raw.body if isinstance(raw.body, bytes) else b"".join(raw.body))


def said(output: Any) -> str:
    return json.dumps(output["element"], ensure_ascii=False)


def test_it_counts(integration: Any) -> None:
    _, output = render(integration)
    assert "Clicked 0 times" in said(output)
    press = {"action": "increment", "by": 1}
    _, output = render(integration, state=output["state"], action=press)
    assert "Clicked 1 time" in said(output)
    _, output = render(integration, state=output["state"], action=press)
    assert "Clicked 2 times" in said(output)
    _, output = render(integration, state=output["state"], action={"action": "reset"})
    assert "Clicked 0 times" in said(output)


def test_the_step_is_a_property(integration: Any) -> None:
    _, output = render(integration, props={"step": 5})
    assert '"onPress": {"action": "increment", "by": 5}' in said(output)


def test_counting_keeps_what_was_typed(integration: Any) -> None:
    state = {"count": 1, "greeting": None, "name": "Ada"}
    _, output = render(integration, state=state, action={"action": "increment"})
    assert output["state"] == {**state, "count": 2}


def test_it_greets(integration: Any) -> None:
    state = {"count": 0, "greeting": None, "name": "Ada"}
    _, output = render(integration, state=state, action={"action": "greet", "name": " Ada "})
    assert "Hello, Ada!" in said(output)


def test_it_asks_for_a_name(integration: Any) -> None:
    state = {"count": 0, "greeting": None}
    assert render(integration, state=state, action={"action": "greet"}) == (400, {"error": "Type your name first"})


def test_the_modal_hands_back_a_count(integration: Any) -> None:
    _, modal = render(integration, "set_count", props={"count": 3})
    assert modal["element"]["type"] == "modal"
    assert '"initialValue": "3"' in said(modal)
    close = {**modal["element"]["submit"]["onPress"], "returnValue": {"count": "42"}}
    _, output = render(integration, state={"count": 3, "greeting": None}, action=close)
    assert "Clicked 42 times" in said(output)


@pytest.mark.parametrize("value", ["", "x", None])
def test_a_count_is_a_whole_number(integration: Any, value: str | None) -> None:
    close = {"action": "@ui.modal.close", "returnValue": {"count": value}}
    status, body = render(integration, state={"count": 3, "greeting": None}, action=close)
    assert (status, "is not a whole number" in body["error"]) == (400, True)
