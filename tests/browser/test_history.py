"""The component page: inputs that can be edited, renders to step through, and what each of them breaks."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Looker
from tests.browser.screens import show
from tests.devkit.dev_process import DevProcess


def press(page: Any, count: int) -> None:
    """Press the button and wait for so many presses."""
    page.locator("#stage").get_by_role("button", name="Press", exact=True).click()
    expect(page.locator("#stage").get_by_text(f"Pressed {count} times")).to_be_visible()


def causes(page: Any) -> list[str]:
    return list(page.locator(".render-cause").all_inner_texts())


@pytest.fixture
def pressed(page: Any, gallery: DevProcess) -> Any:
    """A component that was pressed twice, with its history open."""
    show(page, gallery, "block:everything")
    press(page, 1)
    press(page, 2)
    page.get_by_role("tab", name="History").click()
    return page


def test_each_render_can_be_shown_again(pressed: Any) -> None:
    page, place = pressed, pressed.locator("#history-place")
    assert causes(page) == ["Start", "press", "press"]
    expect(page.get_by_role("button", name="Later render")).to_be_disabled()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/render" in request.url else None)
    page.get_by_role("button", name="Earlier render").click()
    expect(page.locator("#stage").get_by_text("Pressed 1 times")).to_be_visible()
    expect(place).to_have_text("Render 2 of 3")
    page.keyboard.press("Alt+BracketLeft")
    expect(page.locator("#stage").get_by_text("Pressed 0 times")).to_be_visible()
    expect(page.get_by_role("button", name="Earlier render")).to_be_disabled()
    page.keyboard.press("Alt+BracketRight")
    expect(place).to_have_text("Render 2 of 3")
    page.locator(".render").nth(1).focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#stage").get_by_text("Pressed 2 times")).to_be_visible()
    expect(page.locator(".render").nth(2)).to_be_focused()
    page.get_by_role("tab", name="Inputs").click()
    assert json.loads(page.locator("#state").input_value()) == {"presses": 2}
    assert requests == [], "a render that is known needs no script"


def test_a_press_at_an_earlier_render_grows_a_branch(pressed: Any) -> None:
    page = pressed
    page.locator(".render").nth(0).click()
    expect(page.locator("#stage").get_by_text("Pressed 0 times")).to_be_visible()
    press(page, 1)
    assert causes(page)[3] == "press branch of 1"
    press(page, 2)
    assert causes(page)[4] == "press"
    expect(page.locator("#history li").nth(4)).to_have_attribute("data-lane", "1")
    page.get_by_role("button", name="Earlier render").click()
    page.get_by_role("button", name="Earlier render").click()
    expect(page.locator("#history-place")).to_have_text("Render 1 of 5")
    # Forward goes along the newest branch.
    page.get_by_role("button", name="Later render").click()
    expect(page.locator("#history-place")).to_have_text("Render 4 of 5")
    page.get_by_role("button", name="Start over").click()
    expect(page.locator("#stage").get_by_text("Pressed 0 times")).to_be_visible()
    assert causes(page)[5] == "Start"
    page.get_by_role("link", name="Controls").click()
    expect(page.locator("#history-count")).to_have_text("1")


def test_two_renders_are_compared_in_words(pressed: Any) -> None:
    page = pressed
    compare = page.get_by_role("button", name="Compare two")
    page.get_by_label("Compare render 1").check()
    expect(compare).to_be_disabled()
    page.get_by_label("Compare render 3").check()
    compare.click()
    dialog = page.get_by_role("dialog", name="Render 1 and render 3")
    output, state, props, request = (dialog.locator(".diff-section").nth(at) for at in range(4))
    expect(output.locator("[data-kind=changed]")).to_contain_text("Changed [0] “Pressed 0 times” → “Pressed 2 times”")
    expect(output).to_contain_text("18 unchanged")
    expect(state).to_contain_text("Changed presses 0 → 2")
    expect(props).to_contain_text("No differences.")
    expect(request).to_contain_text("Added action")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(compare).to_be_focused()


def test_lists_are_compared_by_what_their_entries_are(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    differences = page.evaluate("""async () => {
      const { diff } = await import("/preview/static/component/diff.js");
      const leaf = (one) => one.kind === "same" ? [] : [`${one.kind} ${one.key}`];
      const flat = (one) => one.kind === "inside" ? one.parts.flatMap(flat) : leaf(one);
      const button = (label) => ({ type: "button", label });
      const text = (words) => ({ type: "text", children: [words] });
      return [
        flat(diff([button("A"), button("B")], [button("A"), text("new"), button("B")])),
        flat(diff([button("A"), button("B")], [button("B")])),
        flat(diff([text("x")], [text("y")])),
        flat(diff({ a: 1, b: [] }, { b: [], c: null })),
        flat(diff({ a: [1] }, { a: { 0: 1 } })),
      ];
    }""")
    assert differences == [["added [1]"], ["removed [0]"], ["changed [0]"], ["removed a", "added c"], ["changed a"]]


def test_the_state_is_edited(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    page.get_by_label("State", exact=True).fill('{"presses": 41}')
    expect(page.locator("#stage").get_by_text("Pressed 41 times")).to_be_visible()
    press(page, 42)
    page.get_by_label("State", exact=True).fill("[1]")
    expect(page.locator("#state-wrong")).to_have_text("The state is a JSON object: { … }")
    expect(page.get_by_label("State", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("tab", name="History").click()
    assert causes(page) == ["Start", "State edited", "press"]


def test_the_context_is_edited_with_its_help(page: Any, looker: Looker, gallery: DevProcess) -> None:
    looker.allowed = ["status of 400"]
    show(page, gallery, "block:everything")
    expect(page.get_by_role("button", name="Block menu")).to_be_visible()
    editor = page.get_by_label("Context", exact=True)
    context = json.loads(editor.input_value())
    assert context["type"] == "document"
    page.get_by_text("What the context can contain").click()
    expect(page.locator("#context-help")).to_contain_text("editable")
    other = "dark" if context["theme"] == "light" else "light"
    editor.fill(json.dumps({**context, "theme": other}))
    expect(page.locator("#stage .ck-component")).to_have_attribute("data-theme", other)
    editor.fill(json.dumps({**context, "editable": False}))
    expect(page.get_by_role("button", name="Block menu")).to_have_count(0)
    editor.fill(json.dumps({"type": "nowhere", "theme": other}))
    expect(page.locator("#stage .ck-alert-area")).not_to_be_empty()
    expect(page.locator("#context-help")).to_contain_text("one of document, configuration_account")
    page.get_by_role("tab", name="History").click()
    assert causes(page) == ["Start", *["Context changed"] * 3]
    page.get_by_role("button", name="Earlier render").click()
    expect(page.locator("#stage .ck-alert-area")).to_be_empty()
    page.get_by_role("button", name="Later render").click()
    expect(page.locator("#stage .ck-alert-area")).not_to_be_empty()


def test_props_have_their_help(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "configuration:account")
    page.get_by_text("What props can contain").click()
    expect(page.locator("#props-help")).to_contain_text("installation.configuration")


def test_a_render_reports_what_it_breaks_and_how_long_it_took(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    page.get_by_role("tab", name="Output").click()
    expect(page.locator("#problems")).to_have_text("3 problems")
    expect(page.locator(".rules [data-kind=violation]")).to_contain_text(
        ["Ruleelement.children[19].typemust name an element; `from-the-future` is not one, and is ignored"]
    )
    expect(page.locator(".rules [data-kind=warning]")).to_contain_text(["no `alt`", "no label"])
    facts = page.locator(".facts")
    expect(facts).to_contain_text(re.compile(r"Round trip[\d.]+ ms"))
    expect(facts).to_contain_text(re.compile(r"Script[\d.]+ ms"))
    expect(facts).to_contain_text("Cache-Controlnone: rendered again each time")
    page.get_by_text("Output as JSON").click()
    expect(page.get_by_label("Output as JSON")).to_contain_text('"type": "element"')


def test_a_render_from_the_cache_is_marked(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:cached")
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".render").nth(1)).to_contain_text("cached")
    page.get_by_role("tab", name="Output").click()
    expect(page.locator(".facts")).to_contain_text("Cache-Controlmax-age=60")
    expect(page.locator(".facts")).to_contain_text("not called: from the host's cache")
    expect(page.locator(".rules-good")).to_be_visible()
    expect(page.locator("#problems")).to_be_hidden()
