"""The page around a component: forms, events, keyboard, light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.screens import show
from tests.devkit.dev_process import DevProcess, devkit


def test_a_form_saves_the_configuration_of_a_site(page: Any, dev: Callable[[str], DevProcess], tmp_path: Path) -> None:
    process = dev("analytics")
    page.goto(f"{process.url}&configuration:site")
    form = page.locator("#stage form")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_label("Measurement id")).to_be_focused()
    expect(form.get_by_label("Measurement id")).to_have_attribute("aria-invalid", "true")
    form.get_by_label("Measurement id").fill("G-ABCDE12345")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("Saved")).to_be_visible()
    expect(page.locator("#state")).to_have_value(re.compile("G-ABCDE12345"))
    expect(page.locator(".event", has_text="site_installation_setup").first).to_be_visible()
    page.reload()
    expect(form.get_by_label("Measurement id")).to_have_value("G-ABCDE12345")


def test_a_form_has_every_kind_of_property(page: Any, gallery: DevProcess) -> None:
    page.goto(f"{gallery.url}&configuration:site")
    form = page.locator("#stage form")
    with page.expect_popup() as opening:
        form.get_by_role("button", name="Connect now").click()
    opening.value.wait_for_load_state()
    assert opening.value.url.endswith("/channels")
    opening.value.close()
    form.get_by_label("Channel").click()
    expect(form.locator("datalist option")).to_have_count(2)
    form.get_by_label("Channel").fill("C2")
    form.get_by_label("Mode").select_option("careful")
    expect(form.get_by_label("Amount")).to_have_value("3")
    form.get_by_label("Amount").fill("4.5")
    form.get_by_label("Active").uncheck()
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("Saved")).to_be_visible()
    expect(page.locator("#state")).to_have_value(
        '{\n  "channel": "C2",\n  "mode": "careful",\n  "amount": 4.5,\n  "active": false\n}'
    )


def test_events_appear_as_they_happen_with_their_logs(
    page: Any, dev: Callable[[str], DevProcess], tmp_path: Path
) -> None:
    process = dev("counter")
    page.goto(process.url)
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Greet").click()
    expect(page.locator("#stage").get_by_text("Hello, Ada!")).to_be_visible()
    expect(page.locator("#detail .logs")).to_contain_text("greeting Ada")
    expect(page.locator("#detail .meter")).to_have_count(6)
    page.get_by_label("Hide renders").check()
    expect(page.locator(".event:visible", has_text="ui_render")).to_have_count(0)
    before = page.locator(".event:visible").count()
    sent = devkit(tmp_path, "trigger", "installation_setup", "--count", "3", "--json", folder=process.folder)
    assert sent.code == 0, sent.err
    expect(page.locator(".event:visible")).to_have_count(before + 3)
    page.get_by_label("Filter events by type").fill("space_")
    expect(page.locator(".event:visible")).to_have_count(1)


def test_everything_can_be_done_with_the_keyboard(page: Any, gallery: DevProcess) -> None:
    def tab_to(locator: Any) -> None:
        for _ in range(80):
            if locator.evaluate("node => node === document.activeElement"):
                return
            page.keyboard.press("Tab")
        raise AssertionError("the Tab key does not get there")

    show(page, gallery, "block:everything")
    stage = page.locator("#stage")
    tab_to(page.get_by_role("link", name="Overlays"))
    tab_to(stage.get_by_role("button", name="Block menu"))
    page.keyboard.press("Enter")
    expect(stage.get_by_role("menuitem", name="Press from the menu")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(stage.get_by_role("menuitem", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")
    expect(stage.get_by_role("button", name="Block menu")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()
    tab_to(stage.get_by_role("button", name="A card"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pressed 2 times")).to_be_visible()
    expect(stage.get_by_role("button", name="A card")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_text("Pressed 3 times")).to_be_visible()
    tab_to(page.locator("#props"))
    tab_to(page.locator(".event").first)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".event").nth(1)).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_light_and_dark(browser: Any, gallery: DevProcess, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: the contrast of text is at least 4.5 to 1."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    show(page, gallery, "block:everything")
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    poor = page.evaluate(CONTRAST)
    assert poor == []
    other = "Dark" if scheme == "light" else "Light"
    page.get_by_role("radio", name=other).check(force=True)
    expect(page.locator("#stage .ck-component")).to_have_attribute("data-theme", other.lower())
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == other.lower()
    context.close()


CONTRAST = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.matches(":disabled, .sr-only, script, style")) continue;
    const [one, two] = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const words = node.textContent.trim().slice(0, 30);
    if (ratio < 4.5) poor.push(`${node.tagName} ${node.className} ${words} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
