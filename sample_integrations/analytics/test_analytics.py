"""The analytics script: what is answered, and what it does in a browser."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from devkit.testing.integration import Integration
from devkit.testing.results import Result


def fetch_script(integration: Integration, **configuration: Any) -> Result:
    """Ask for the script of a site; the organization's configuration is not the site's."""
    integration.configuration = {"tracking_id": "G-WRONGLEVEL"}
    integration.site.configuration = configuration
    return integration.published_script()


def test_the_script_carries_the_sites_id(integration: Integration) -> None:
    response = fetch_script(integration, tracking_id=" G-ABCDE12345 ")
    assert response.status == 200
    assert response.headers == {"content-type": "application/javascript", "cache-control": "max-age=604800"}
    assert response.text.endswith('("G-ABCDE12345");\n')


@pytest.mark.parametrize(
    "configuration",
    [{}, {"tracking_id": ""}, {"tracking_id": None}, {"tracking_id": '"+alert(1)+"'}, {"tracking_id": 5}],
)
def test_without_a_usable_id_there_is_no_script(integration: Integration, configuration: dict[str, Any]) -> None:
    response = fetch_script(integration, **configuration)
    assert (response.status, response.text) == (200, "/** no-op */")
    assert len(response.logs) == 1


@pytest.mark.browser
def test_nothing_is_loaded_before_the_reader_agrees(integration: Integration) -> None:
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if not chromium:
        pytest.skip("needs Chromium: apt-get install chromium")
    script = fetch_script(integration, tracking_id="G-ABCDE12345").text
    # In a thread of its own: another test of this process may have a browser open.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(watch_a_reader, chromium, script).result()


def watch_a_reader(chromium: str, script: str) -> None:
    """Open a page that embeds the script, before and after its reader agrees."""
    from playwright.sync_api import sync_playwright

    requests: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()

        def serve(route: Any) -> None:
            requests.append(route.request.url)
            route.fulfill(content_type="text/html", body="<!doctype html><title>Docs</title>")

        page.route("**/*", serve)
        page.goto("https://docs.example/")
        page.evaluate(script)
        assert page.evaluate("window.dataLayer") is None
        with page.expect_request("**/gtag/js?id=G-ABCDE12345"):
            page.evaluate("document.cookie = '__gitbook_cookie_granted=yes'")
        assert page.evaluate("window.dataLayer.length") == 2
        assert requests == ["https://docs.example/", "https://www.googletagmanager.com/gtag/js?id=G-ABCDE12345"]
        browser.close()
