"""What works where all scripts answer at one origin, and their pages and sites that carry them are confined."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import frames
from tests.browser.conditions import wait_until
from tests.browser.read_site import (  # noqa: F401  # fixtures
    INTEGRATION,
    SCRIPT,
    home_address,
    logged,
    page_about_site,
    reader_page,
    watched_page,
)
from tests.browser.screens import show
from tests.conftest import wait_for
from tests.devkit.dev_process import DevProcess

CONFINED_SCRIPT = SCRIPT.replace("sessionStorage.getItem", "(() => null)").replace("sessionStorage.setItem", "void ")
"""A script on a confined page must not count on a store; browsers refuse it one."""


@pytest.fixture(scope="module")
def gallery(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
    folder = tmp_path_factory.mktemp("shared-gallery")
    shutil.copytree(Path(__file__).parent / "gallery", folder / "gallery")
    process = DevProcess(folder / "gallery", folder, shared=True)
    process.wait("ready")
    yield process
    assert process.end() == 0


@pytest.fixture(scope="module")
def reading(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
    folder = tmp_path_factory.mktemp("shared-reading")
    (folder / "reading").mkdir()
    (folder / "reading" / "integration.yaml").write_text(INTEGRATION)
    (folder / "reading" / "script.py").write_text(CONFINED_SCRIPT)
    process = DevProcess(folder / "reading", folder, shared=True)
    process.wait("ready")
    yield process
    assert process.end() == 0


def test_frames_hear_and_speak(page: Any, gallery: DevProcess) -> None:
    frames.hears_and_speaks_and_is_never_reloaded(page, gallery)
    frames.cannot_reach_the_page(page, gallery)


def test_lists_are_loaded_from_the_script(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:controls")
    stage = page.locator("#stage")
    expect(stage.get_by_label("Name")).to_have_value("Ada")
    stage.locator(".ck-remote input").first.click()
    expect(stage.locator(".ck-options li").first).to_be_visible()


def test_a_confined_site_runs_its_scripts_and_keeps_nothing(reader: Any, reading: DevProcess, home: str) -> None:
    assert reader.evaluate("[self.origin, typeof window.heard]") == ["null", "object"]
    wait_until(reader, "window.heard?.includes('load')")
    banner = reader.get_by_role("region", name="Cookies")
    banner.get_by_role("button", name="Accept").click()
    expect(banner).to_be_hidden()
    assert reader.evaluate("GitBook.isCookiesTrackingDisabled()") is False
    expect(reader.get_by_label("Go from page to page without reloading")).to_be_disabled()
    reader.get_by_role("link", name="A guide").click()
    expect(reader.get_by_role("heading", name="A guide")).to_be_visible()
    assert reader.url == f"{home}guide"
    reader.get_by_role("group", name="Was this helpful?").get_by_role("button", name="No").click()
    expect(reader.get_by_role("status")).to_have_text("Thank you.")
    wait_for(partial(logged, reading, "rated bad None"), 30)


def test_blocks_of_a_confined_site_are_drawn_and_pressed(about: Any, home: str, watched: Any) -> None:
    tab = watched()
    tab.goto(f"{home}blocks/reading/greeting")
    expect(tab.get_by_text("Hello reader, pressed 0")).to_be_visible()
    tab.get_by_role("button", name="Press").click()
    expect(tab.get_by_text("Hello reader, pressed 1")).to_be_visible()
