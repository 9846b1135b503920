"""The published site as readers see it under `devkit dev`, and the page of the preview about it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.browser.conditions import wait_until
from tests.browser.test_loading import MOST
from tests.conftest import wait_for
from tests.devkit.dev_process import DevProcess, devkit

INTEGRATION = """
name: reading
title: Reading
script: script.py
target: all
scopes: [site:script:inject, site:script:cookies, "site:views:read", "page:feedback:read"]
blocks:
  - {id: greeting, title: Greeting}
contentSecurityPolicy:
  connect-src: https://api.example
"""
SCRIPT = '''
from runtime.sdk import Integration, ui

integration = Integration()
INJECTED = """
window.heard = [];
GitBook.addEventListener("load", () => heard.push("load"));
GitBook.addEventListener("unload", () => sessionStorage.setItem("left", "yes"));
window.disabled = GitBook.isCookiesTrackingDisabled();
if (sessionStorage.getItem("banner")) GitBook.registerCookieBanner(({ onApprove }) => { window.approve = onApprove; });
if (sessionStorage.getItem("stray")) {
  const stray = document.createElement("script");
  stray.src = "https://elsewhere.example/x.js?visitor=1";
  document.head.append(stray);
}
"""


@integration.published_script
def script():
    return INJECTED


@integration.component("greeting", state={"pressed": 0})
def greeting(element):
    words = f"Hello {element.props.get('name', 'reader')}, pressed {element.state['pressed']}"
    return ui.block(ui.text(words), ui.button("Press", on_press="press"))


@greeting.action("press")
def press(element):
    return ui.update(state={"pressed": element.state["pressed"] + 1})


@integration.on("site_view")
def viewed(event, context):
    context.log.info("viewed %s", event.get("pageId"))


@integration.on("page_feedback")
def rated(event, context):
    context.log.info("rated %s %s", event["feedback"]["rating"], event["feedback"].get("comment"))
'''


@pytest.fixture(scope="module")
def reading(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
    """`devkit dev` on an integration that is on the site in every way there is."""
    folder = tmp_path_factory.mktemp("reading")
    (folder / "reading").mkdir()
    (folder / "reading" / "integration.yaml").write_text(INTEGRATION)
    (folder / "reading" / "script.py").write_text(SCRIPT)
    process = DevProcess(folder / "reading", folder)
    process.wait("ready")
    yield process
    assert process.end() == 0


def logged(process: DevProcess, line: str) -> bool:
    traces = [message["event"].get("trace") or {} for message in process.messages if message["type"] == "event"]
    return any(line in entry["message"] for trace in traces for entry in trace.get("logs", ()))


@pytest.fixture
def about(page: Any, reading: DevProcess) -> Any:
    """The preview's page about the site, which is published."""
    page.goto(reading.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Site").click()
    expect(page.get_by_role("heading", name="Sample site")).to_be_visible()
    if page.get_by_role("button", name="Publish").is_visible():
        page.get_by_role("button", name="Publish").click()
    expect(page.locator("#site-status")).to_have_text("published")
    return page


@pytest.fixture
def home(about: Any) -> str:
    return str(about.get_by_role("link", name="Open the site").get_attribute("href"))


@pytest.fixture
def reader(about: Any, home: str, watched: Callable[[], Any]) -> Any:
    """Somebody who reads the site in another tab of the same browser."""
    opened = watched()
    opened.goto(home)
    expect(opened.get_by_role("heading", name="Welcome")).to_be_visible()
    return opened


@pytest.fixture
def watched(looker: Any) -> Callable[[], Any]:
    """Open further tabs, whose errors count as those of the first."""

    def open_tab() -> Any:
        tab = looker.page.context.new_page()
        tab.set_default_timeout(30_000)
        tab.on("console", lambda message: looker.wrong.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: looker.wrong.append(f"exception: {error}"))
        return tab

    return open_tab


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
