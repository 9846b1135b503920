"""Waits for what a page with a content security policy says: Playwright's own way to wait needs `eval` in the page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Error

from tests.conftest import wait_for


def wait_until(page: Any, expression: str) -> None:
    """Wait until an expression is true in a page, which may be loaded anew meanwhile."""
    wait_for(lambda: _holds(page, expression))


def _holds(page: Any, expression: str) -> bool:
    try:
        return bool(page.evaluate(expression))
    except Error as error:
        if "context was destroyed" in str(error) or "navigation" in str(error):
            return False
        raise
