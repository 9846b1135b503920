"""Screens of the gallery."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.devkit.dev_process import DevProcess


def show(page: Any, gallery: DevProcess, screen: str) -> None:
    # From the page itself the address would differ in its fragment only, and the old screen would still be there.
    page.goto("about:blank")
    page.goto(f"{gallery.url}&{screen}")
    expect(page.locator("#stage .ck-view")).not_to_be_empty()
