"""A published site that somebody reads under `devkit dev`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.devkit.dev_process import DevProcess

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


@pytest.fixture(name="reading", scope="module")
def reading_process(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
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


@pytest.fixture(name="about")
def page_about_site(page: Any, reading: DevProcess) -> Any:
    """The preview's page about the site, which is published."""
    page.goto(reading.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Site").click()
    expect(page.get_by_role("heading", name="Sample site")).to_be_visible()
    if page.get_by_role("button", name="Publish").is_visible():
        page.get_by_role("button", name="Publish").click()
    expect(page.locator("#site-status")).to_have_text("published")
    return page


@pytest.fixture(name="home")
def home_address(about: Any) -> str:
    return str(about.get_by_role("link", name="Open the site").get_attribute("href"))


@pytest.fixture(name="reader")
def reader_page(about: Any, home: str, watched: Callable[[], Any]) -> Any:
    """Somebody who reads the site in another tab of the same browser."""
    opened = watched()
    opened.goto(home)
    expect(opened.get_by_role("heading", name="Welcome")).to_be_visible()
    return opened


@pytest.fixture(name="watched")
def watched_page(looker: Any) -> Callable[[], Any]:
    """Open further tabs, whose errors count as those of the first."""

    def open_tab() -> Any:
        tab = looker.page.context.new_page()
        tab.set_default_timeout(30_000)
        tab.on("console", lambda message: looker.wrong.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: looker.wrong.append(f"exception: {error}"))
        return tab

    return open_tab
