"""The published site as readers see it under `devkit dev`, and the page of the preview about it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.browser.code_size import MOST
from tests.browser.conditions import wait_until
from tests.browser.read_site import (  # noqa: F401  # fixtures
    home_address,
    logged,
    page_about_site,
    reader_page,
    reading_process,
    watched_page,
)
from tests.conftest import wait_for
from tests.devkit.dev_process import DevProcess, devkit


def test_pages_change_in_place_and_with_a_reload(reader: Any, home: str) -> None:
    reader.evaluate("window.same = true")
    reader.get_by_role("link", name="A guide").click()
    expect(reader.get_by_role("heading", name="A guide")).to_be_focused()
    assert (reader.url, reader.title(), reader.evaluate("window.same")) == (
        f"{home}guide",
        "A guide · Sample site",
        True,
    )
    expect(reader.get_by_role("link", name="A guide")).to_have_attribute("aria-current", "page")
    reader.go_back()
    expect(reader.get_by_role("heading", name="Welcome")).to_be_visible()
    assert reader.evaluate("window.same") is True
    reader.get_by_label("Go from page to page without reloading").uncheck()
    reader.get_by_role("link", name="A guide").click()
    expect(reader.get_by_role("heading", name="A guide")).to_be_visible()
    assert reader.evaluate("[window.same, sessionStorage.getItem('left')]") == [None, "yes"]
    expect(reader.get_by_label("Go from page to page without reloading")).not_to_be_checked()
    wait_until(reader, "window.heard?.includes('load')")


def test_the_page_chosen_last_is_shown_however_late_another_one_comes(reader: Any, home: str) -> None:
    held: list[Any] = []
    # A lambda, since `list.append` lacks the signature that Playwright reads.
    reader.route(f"{home}guide", lambda route: held.append(route))
    reader.get_by_role("link", name="A guide").click()
    reader.wait_for_url(f"{home}guide")
    reader.get_by_role("link", name="Welcome").click()
    expect(reader.get_by_role("heading", name="Welcome")).to_be_focused()
    with reader.expect_event("requestfinished", lambda request: request.url == f"{home}guide"):
        held[0].continue_()
    reader.wait_for_timeout(500)  # in which it would be shown
    expect(reader.get_by_role("heading", name="Welcome")).to_be_visible()
    assert "A guide" not in reader.title()


def test_a_block_is_drawn_with_its_props_and_pressed(about: Any, home: str, watched: Callable[[], Any]) -> None:
    tab = watched()
    tab.goto(f"{home}blocks/reading/greeting")
    expect(tab.get_by_text("Hello reader, pressed 0")).to_be_visible()
    tab.get_by_role("button", name="Press").click()
    expect(tab.get_by_text("Hello reader, pressed 1")).to_be_visible()
    about.evaluate("localStorage.setItem('devkit-preview-props:reading:block:greeting', JSON.stringify({name: 'Ada'}))")
    about.reload()
    with about.context.expect_page() as opening:
        about.get_by_role("link", name="Greeting").click()
    opened = opening.value
    expect(opened.get_by_text("Hello Ada, pressed 0")).to_be_visible()
    assert opened.url == f"{home}blocks/reading/greeting"
    opened.get_by_role("link", name="Welcome").click()
    opened.get_by_role("link", name="Greeting").click()
    expect(opened.get_by_text("Hello Ada, pressed 0")).to_be_visible()


def test_consent_is_asked_for_and_kept(about: Any, reader: Any) -> None:
    banner = reader.get_by_role("region", name="Cookies")
    expect(banner).to_be_visible()
    assert reader.evaluate("GitBook.isCookiesTrackingDisabled()") is None
    with reader.expect_navigation():
        banner.get_by_role("button", name="Reject").click()
    expect(banner).to_be_hidden()
    assert reader.evaluate("[GitBook.isCookiesTrackingDisabled(), document.cookie]") == [
        True,
        "__gitbook_cookie_granted=no",
    ]
    expect(about.locator("#reader")).to_contain_text("rejected")
    with reader.expect_navigation():
        reader.get_by_role("button", name="Ask about cookies again").click()
    with reader.expect_navigation():
        banner.get_by_role("button", name="Accept").click()
    wait_until(reader, "window.disabled === false")
    assert "__gitbook_cookie_granted=yes" in reader.evaluate("document.cookie")
    expect(about.locator("#reader")).to_contain_text("granted")


def test_a_script_may_ask_for_consent_itself(reader: Any) -> None:
    reader.evaluate("sessionStorage.setItem('banner', 'yes')")
    reader.reload()
    wait_until(reader, "typeof window.approve === 'function'")
    expect(reader.get_by_role("region", name="Cookies")).to_be_hidden()
    with reader.expect_navigation():
        reader.evaluate("approve()")
    assert reader.evaluate("GitBook.isCookiesTrackingDisabled()") is False


def test_what_is_read_and_rated_is_reported(reader: Any, reading: DevProcess) -> None:
    reader.get_by_role("link", name="A guide").click()
    expect(reader.get_by_role("heading", name="A guide")).to_be_focused()
    group = reader.get_by_role("group", name="Was this helpful?")
    group.get_by_role("button", name="No").click()
    expect(group.get_by_role("button", name="No")).to_have_attribute("aria-pressed", "true")
    reader.get_by_label("What would make it better?").fill("Pictures")
    reader.get_by_role("button", name="Send").click()
    expect(reader.get_by_role("status")).to_have_text("Thank you.")
    for line in ("viewed guide", "rated bad None", "rated bad Pictures"):
        wait_for(partial(logged, reading, line), 30)


def test_what_the_policy_keeps_out_is_shown_at_once(
    about: Any, reader: Any, looker: Any, reading: DevProcess, tmp_path: Path
) -> None:
    looker.allowed = ["Content Security Policy"]
    expect(about.locator("#scripts")).to_contain_text("asks for: connect-src https://api.example")
    expect(about.locator("#policy")).to_contain_text("https://api.example")
    reader.evaluate("sessionStorage.setItem('stray', 'yes')")
    reader.reload()
    report = about.locator("#kept li", has_text="elsewhere.example")
    expect(report).to_contain_text("https://elsewhere.example/x.js")
    expect(report).to_contain_text(
        re.compile(
            r"requested by http://reading-\w{20}\.localhost:\d+/v1/integrations/reading/published-script/.*\.js:\d+"
        )
    )
    assert "visitor=1" not in report.inner_text()
    result = devkit(tmp_path, "logs", "reading", "--level", "warn", "--text", "elsewhere", folder=reading.folder)
    assert result.code == 0, result.err
    assert "The content security policy blocked https://elsewhere.example/x.js on the page" in result.out
    about.get_by_role("navigation", name="Pages").get_by_role("link", name="Events").click()
    about.locator(".event", has_text="site_policy_violation").first.click()
    expect(about.locator("#detail .logs")).to_contain_text("https://elsewhere.example/x.js")


def test_a_site_that_is_offline_is_not_there(about: Any, home: str, looker: Any, watched: Callable[[], Any]) -> None:
    looker.allowed = ["status of 404"]
    about.get_by_role("button", name="Take offline").click()
    expect(about.locator("#site-status")).to_have_text("not published")
    tab = watched()
    assert tab.goto(home).status == 404
    about.get_by_role("button", name="Publish").click()
    expect(about.locator("#site-status")).to_have_text("published")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(about: Any, reader: Any, home: str, looker: Any, scheme: str) -> None:
    looker.allowed = ["Applying inline style"]  # axe measures with styles of its own, which the site's policy keeps out
    for tab in (about, reader):
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        tab.reload()
    expect(about.locator("#places li")).to_have_count(5)
    expect(reader.get_by_role("region", name="Cookies")).to_be_visible()
    for tab in (about, reader):
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        assert tab.evaluate(VIOLATIONS, "html") == []
    reader.goto(f"{home}blocks/reading/greeting")
    expect(reader.get_by_role("button", name="Press")).to_be_visible()
    reader.get_by_role("button", name="Yes", exact=True).click()
    expect(reader.get_by_role("status")).to_have_text("Thank you.")
    reader.evaluate(AXE.read_text(encoding="utf-8"))
    assert reader.evaluate(VIOLATIONS, "html") == []


def test_a_site_loads_little() -> None:
    static = Path(__file__).parents[2] / "runtime" / "web" / "static"
    modules = [*(static / "site").glob("*.js"), *(static / "contentkit").glob("*.js")]
    assert len(modules) > 10
    assert sum(len(gzip.compress(module.read_bytes(), 9)) for module in modules) < MOST
