"""Every element of the contract, drawn from one integration, and what it does when somebody uses it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from runtime.sdk.ui import ELEMENTS
from tests.browser.conftest import Looker
from tests.browser.screens import show
from tests.conftest import wait_for
from tests.devkit.dev_process import DevProcess

ROOTS = ("block", "modal", "configuration")


def test_every_element_is_drawn(page: Any, gallery: DevProcess) -> None:
    types: set[str] = set()
    screens = ["block:everything", "block:controls", "block:frames", "configuration:account", "block:overlays"]
    for screen in screens:
        show(page, gallery, screen)
        if screen == "block:overlays":
            page.get_by_role("button", name="Open").click()
            expect(page.get_by_role("dialog")).to_be_visible()
            types.add("modal")
        types |= set(page.evaluate("[...document.querySelectorAll('[data-ck]')].map(node => node.dataset.ck)"))
    assert set(ELEMENTS) <= types
    known = page.evaluate("import('/contentkit/draw.js').then(module => module.TYPES)")
    assert set(known) == set(ELEMENTS)


def test_text_and_media(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    stage = page.locator("#stage")
    for tag, words in (("strong", "bold"), ("em", "slanted"), ("s", "struck"), ("code", "mono")):
        expect(stage.locator(f".ck-text {tag}")).to_have_text(words)
    expect(stage.get_by_role("link", name="A link", exact=True)).to_have_attribute("href", "https://example.com/page")
    expect(stage.get_by_role("link", name="A link", exact=True)).to_have_attribute("rel", "noopener noreferrer")
    markdown = stage.locator(".ck-markdown").first
    for tag in ("h1", "strong", "em", "ol > li", "blockquote", "table td", "pre code"):
        expect(markdown.locator(tag).first).to_be_visible()
    expect(markdown).to_contain_text("<script>")
    assert page.evaluate("window.broken") is None
    listing = stage.locator(".ck-codeblock")
    expect(listing.locator("pre")).to_contain_text("def shown():")
    expect(listing).to_contain_text("Header")
    expect(listing).to_contain_text("Footer")
    assert page.evaluate("getComputedStyle(document.querySelector('.ck-lines')).counterReset") == "line 9"
    ratio = stage.locator(".ck-image").bounding_box()
    assert ratio["width"] / ratio["height"] == pytest.approx(6, rel=0.05)
    expect(stage.get_by_text("Unknown element “from-the-future”")).to_be_visible()


def test_bindings_follow_what_is_typed_without_asking_the_script(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/render" in request.url else None)
    page.get_by_placeholder("A note").fill("some *words*")
    expect(page.locator(".ck-markdown").last.locator("em")).to_have_text("words")
    link = page.get_by_role("link", name="A link in parts")
    expect(link).to_have_attribute("href", "https://example.com/found?q=some+*words*")
    assert requests == []


def test_presses_of_buttons_cards_and_menus(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:everything")
    stage = page.locator("#stage")
    stage.get_by_role("button", name="Press", exact=True).click()
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()
    stage.get_by_text("Its hint").click()
    expect(page.get_by_text("Pressed 2 times")).to_be_visible()
    stage.get_by_role("button", name="Edit it").click()
    expect(page.get_by_text("Pressed 3 times")).to_be_visible()
    stage.get_by_role("button", name="Block menu").click()
    stage.get_by_role("menuitem", name="Press from the menu").click()
    expect(page.get_by_text("Pressed 4 times")).to_be_visible()
    stage.get_by_role("button", name="Block menu").click()
    stage.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    stage.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Pressed 5 times")).to_be_visible()
    stage.get_by_role("button", name="Block menu").click()
    stage.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Pressed 6 times")).to_be_visible()


def test_a_modal_holds_the_focus_and_hands_back_a_value(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:overlays")
    page.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog", name="A dialog")
    expect(dialog.get_by_label("Value")).to_be_focused()
    expect(dialog).to_contain_text("With a subtitle")
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    for _ in range(5):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    dialog.get_by_label("Value").fill("typed")
    dialog.get_by_role("button", name="More").click()
    expect(dialog.get_by_text("More 1")).to_be_visible()
    expect(dialog.get_by_label("Value")).to_have_value("typed")
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Returned typed")).to_be_visible()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Open")).to_be_focused()


def test_escape_and_the_backdrop_close_a_modal_with_its_own_value(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:overlays")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("dialog").get_by_label("Value")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Returned dismissed")).to_be_visible()
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_text("Returned nothing")).to_be_visible()
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("dialog").get_by_label("Value")).to_be_focused()
    page.mouse.click(10, 300)
    expect(page.get_by_text("Returned dismissed")).to_be_visible()


def test_failures_are_reported_and_the_view_stays(page: Any, looker: Looker, gallery: DevProcess) -> None:
    looker.allowed = ["status of 400", "status of 500", "status of 502"]
    show(page, gallery, "block:overlays")
    page.get_by_role("button", name="Fail").click()
    alert = page.locator(".ck-alert-area")
    expect(alert).to_contain_text("This is for the reader")
    expect(page.get_by_text("Returned nothing")).to_be_visible()
    alert.get_by_role("button", name="Dismiss").click()
    expect(alert).to_be_empty()
    page.get_by_role("button", name="Break").click()
    expect(alert).not_to_be_empty()
    expect(page.locator("#detail")).to_contain_text("KeyError")
    expect(page.locator("#detail .fault-place, #detail .logs")).to_contain_text(["script.py"])


def test_a_stepper_goes_on_when_the_script_allows_it(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "configuration:account")
    stage = page.locator("#stage")
    following = stage.get_by_role("button", name="Next")
    expect(following).to_be_disabled()
    stage.get_by_label("Your name").fill("Ada")
    stage.get_by_role("button", name="Check").click()
    expect(following).to_be_enabled()
    following.click()
    expect(stage.get_by_text("You are Ada")).to_be_visible()
    expect(stage.locator("[aria-current=step]")).to_have_text("Sure?")
    expect(stage.get_by_role("button", name="Finish")).to_be_focused()
    stage.get_by_role("button", name="Back").click()
    expect(stage.get_by_label("Your name")).to_have_value("Ada")
    following.click()
    expect(stage.get_by_text("You are Ada")).to_be_visible()
    stage.get_by_role("button", name="Finish").click()
    expect(page.locator("#toast")).to_contain_text('Completed with {"name":"Ada"}')
    expect(stage.get_by_label("Your name")).to_have_value("")
    assert "finished as Ada" in wait_for(lambda: latest_logs(page))


def latest_logs(page: Any) -> str:
    """Open the latest events one after the other and give the first log that is not empty."""
    for place in range(3):
        selected = page.locator(".event").nth(place).get_attribute("data-id")
        page.locator(f'.event[data-id="{selected}"]').click()
        expect(page.locator("#detail .detail-id")).to_have_text(selected)
        logs = page.locator("#detail .logs")
        if logs.count():
            return str(logs.inner_text())
    return ""


def test_props_reach_the_script_and_are_kept(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:frames")
    page.locator("#props").fill("{bad")
    expect(page.locator("#props-wrong")).not_to_be_empty()
    page.locator("#props").fill('{"note": "from outside"}')
    expect(page.get_by_text("Note from outside")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Note from outside")).to_be_visible()


def test_addresses_open_in_a_window_of_their_own(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:overlays")
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Endpoint").click()
    opening.value.wait_for_load_state()
    assert opening.value.url.endswith("/channels")
    opening.value.close()
    page.get_by_role("button", name="Visit").click()
    expect(page.locator(".ck-alert-area")).to_contain_text("This address cannot be opened: data:text/plain,visited")
