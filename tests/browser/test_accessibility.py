"""Pages held against the rules of axe-core, in light and dark: no violation."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.browser.screens import show
from tests.devkit.dev_process import DevProcess

pytestmark = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm"
)


@pytest.fixture(params=["light", "dark"])
def themed(page: Any, request: pytest.FixtureRequest) -> Any:
    page.emulate_media(color_scheme=request.param, reduced_motion="reduce")
    return page


def check(page: Any) -> None:
    # The page's policy lets no script in; what drives the browser is not the page.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(VIOLATIONS, "html") == []


@pytest.mark.parametrize(
    "screen", ["block:everything", "block:controls", "block:frames", "block:overlays", "configuration:account"]
)
def test_every_element(themed: Any, gallery: DevProcess, screen: str) -> None:
    show(themed, gallery, screen)
    expect(themed.locator("#problems, #output .rules-good").first).to_be_attached()
    check(themed)


def test_a_form(themed: Any, gallery: DevProcess) -> None:
    themed.goto(f"{gallery.url}&configuration:site")
    themed.locator("#stage form").get_by_role("button", name="Save").click()
    check(themed)


def test_open_lists_and_dialogs(themed: Any, gallery: DevProcess) -> None:
    show(themed, gallery, "block:everything")
    themed.get_by_role("button", name="Block menu").click()
    check(themed)
    themed.get_by_role("menuitem", name="Delete").click()
    expect(themed.get_by_role("dialog", name="Delete it?")).to_be_visible()
    check(themed)
    show(themed, gallery, "block:controls")
    themed.get_by_role("combobox", name="Basket").click()
    expect(themed.get_by_role("option", name="Banana").last).to_be_visible()
    check(themed)
    show(themed, gallery, "block:overlays")
    themed.get_by_role("button", name="Open").click()
    expect(themed.get_by_role("dialog", name="A dialog").get_by_label("Value")).to_be_focused()
    check(themed)


def test_the_inspector(themed: Any, gallery: DevProcess) -> None:
    show(themed, gallery, "block:everything")
    themed.get_by_role("button", name="Press", exact=True).click()
    expect(themed.locator("#history-place")).to_have_text("Render 2 of 2")
    for summary in ("What props can contain", "What the context can contain"):
        themed.get_by_text(summary).click()
    check(themed)
    themed.get_by_role("tab", name="Output").click()
    themed.get_by_text("Output as JSON").click()
    check(themed)
    themed.get_by_role("tab", name="History").click()
    check(themed)
    themed.get_by_label("Compare render 1").check()
    themed.get_by_label("Compare render 2").check()
    themed.get_by_role("button", name="Compare two").click()
    expect(themed.get_by_role("dialog", name="Render 1 and render 2")).to_be_visible()
    check(themed)


def test_the_events_page(themed: Any, gallery: DevProcess) -> None:
    show(themed, gallery, "block:everything")
    themed.get_by_role("navigation", name="Pages").get_by_role("link", name="Events").click()
    expect(themed.locator("#detail .waterfall")).to_be_visible()
    themed.locator("#detail .payload summary").click()
    check(themed)
    themed.get_by_role("button", name="Edit and replay").click()
    expect(themed.get_by_role("dialog", name="Edit and replay").get_by_label("Payload")).to_be_focused()
    check(themed)
