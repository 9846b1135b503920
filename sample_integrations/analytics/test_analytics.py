"""The analytics script: what is answered, and what it does in a browser."""

from __future__ import annotations

import importlib.util
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.answering import RawAnswer, RawCall, answer, find_integration


def fetch_script(configuration: dict[str, Any]) -> tuple[RawAnswer, list[str]]:
    spec = importlib.util.spec_from_file_location("analytics_sample", Path(__file__).with_name("integration.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    logs: list[str] = []
    environment = {
        "integration": {"name": "analytics", "version": 1},
        "installation": {"id": "inst1", "configuration": {"tracking_id": "G-WRONGLEVEL"}},
        "siteInstallation": {"site": "si1", "configuration": configuration},
    }
    event = {"eventId": "e", "type": "fetch_published_script", "installationId": "inst1", "siteId": "si1"}
    call = RawCall(
        json.dumps(event).encode(), json.dumps(environment).encode(), None, lambda level, line: logs.append(line)
    )
    return answer(find_integration(vars(module)), call), logs


def test_the_script_carries_the_sites_id() -> None:
    told, _ = fetch_script({"tracking_id": " G-ABCDE12345 "})
    assert told.status == 200
    assert dict(told.headers) == {"content-type": "application/javascript", "cache-control": "max-age=604800"}
    assert isinstance(told.body, bytes)
    assert told.body.endswith(b'("G-ABCDE12345");\n')


@pytest.mark.parametrize(
    "configuration",
    [{}, {"tracking_id": ""}, {"tracking_id": None}, {"tracking_id": '"+alert(1)+"'}, {"tracking_id": 5}],
)
def test_without_a_usable_id_there_is_no_script(configuration: dict[str, Any]) -> None:
    told, logs = fetch_script(configuration)
    assert (told.status, told.body) == (200, b"/** no-op */")
    assert len(logs) == 1


@pytest.mark.browser
def test_nothing_is_loaded_before_the_reader_agrees() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        pytest.skip("needs Chromium: apt-get install chromium")
    told, _ = fetch_script({"tracking_id": "G-ABCDE12345"})
    assert isinstance(told.body, bytes)
    script = told.body.decode()
    # In a thread of its own: another test of this process may have a browser open.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(watch_a_reader, chromium, script).result()


def watch_a_reader(chromium: str, script: str) -> None:
    """Open a page that embeds the script, before and after its reader agrees."""
    from playwright.sync_api import sync_playwright

    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()

        def serve(route: Any) -> None:
            asked.append(route.request.url)
            route.fulfill(content_type="text/html", body="<!doctype html><title>Docs</title>")

        page.route("**/*", serve)
        page.goto("https://docs.example/")
        page.evaluate(script)
        assert page.evaluate("window.dataLayer") is None
        with page.expect_request("**/gtag/js?id=G-ABCDE12345"):
            page.evaluate("document.cookie = '__gitbook_cookie_granted=yes'")
        assert page.evaluate("window.dataLayer.length") == 2
        assert asked == ["https://docs.example/", "https://www.googletagmanager.com/gtag/js?id=G-ABCDE12345"]
        browser.close()
