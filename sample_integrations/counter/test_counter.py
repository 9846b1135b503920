"""The counter, as a reader uses it."""

from __future__ import annotations

import pytest

from devkit.testing.integration import Integration


def test_it_counts(integration: Integration) -> None:
    page = integration.render("counter")
    assert "Clicked 0 times" in page.text
    assert "Clicked 1 time " in page.click("Click me").text
    assert "Clicked 2 times" in page.click("Click me").text
    assert "Clicked 0 times" in page.click("Reset").text


def test_the_step_is_a_property(integration: Integration) -> None:
    assert integration.render("counter", props={"step": 5}).click("Click me").state["count"] == 5


def test_counting_keeps_what_was_typed(integration: Integration) -> None:
    page = integration.render("counter").type("Your name", "Ada").click("Click me")
    assert page.state == {"count": 1, "greeting": None, "name": "Ada"}


def test_it_greets(integration: Integration) -> None:
    assert "Hello, Ada!" in integration.render("counter").type("Your name", " Ada ").click("Greet").text


def test_it_asks_for_a_name(integration: Integration) -> None:
    page = integration.render("counter")
    with integration.refused("Type your name first", 400):
        page.click("Greet")


def test_the_modal_hands_back_a_count(integration: Integration) -> None:
    page = integration.render("counter", state={"count": 3, "greeting": None}).click("Set …")
    assert page.modal is not None
    assert page.modal.state == {"count": "3"}
    page.modal.type("Count", "42").click("Set")
    assert page.modal is None
    assert "Clicked 42 times" in page.text


@pytest.mark.parametrize("value", ["", "x"])
def test_a_count_is_a_whole_number(integration: Integration, value: str) -> None:
    page = integration.render("counter").click("Set …")
    assert page.modal is not None
    page.modal.type("Count", value)
    with integration.refused("is not a whole number", 400):
        page.modal.click("Set")
