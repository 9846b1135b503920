"""What a frame of an integration must do, and must not, wherever its page is."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.screens import show
from tests.devkit.dev_process import DevProcess


def hears_and_speaks_and_is_never_reloaded(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:frames")
    frame = page.frame_locator(".ck-frame")
    expect(frame.locator("#word")).to_have_text('{"word":"first","fixed":"same"}')
    assert page.locator(".ck-frame").bounding_box()["height"] == 222
    born = frame.locator("#born").inner_text()
    page.get_by_placeholder("Sent to the frame").fill("second")
    expect(frame.locator("#word")).to_have_text('{"word":"second","fixed":"same"}')
    frame.get_by_role("button", name="Say").click()
    expect(page.get_by_text("Heard hello")).to_be_visible()
    frame.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("Note kept")).to_be_visible()
    page.get_by_role("button", name="Corner").click()
    expect(page.get_by_text("Heard nothing")).to_be_visible()
    page.get_by_placeholder("Sent to the frame").fill("third")
    expect(frame.locator("#word")).to_have_text('{"word":"third","fixed":"same"}')
    expect(frame.locator("#born")).to_have_text(born)


def cannot_reach_the_page(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:frames")
    expect(page.frame_locator(".ck-frame").locator("#word")).to_contain_text("first")
    inner = next(frame for frame in page.frames if frame.url.endswith("/frame"))
    reach = "() => { try { return String(parent.document) } catch (error) { return error.name } }"
    assert inner.evaluate(reach) == "SecurityError"
    assert inner.evaluate("self.origin") == "null"
    # A message from anybody but the frame is not an action.
    page.evaluate("window.postMessage({ action: { action: 'hear', value: 'forged' } }, '*')")
    page.get_by_role("button", name="Corner").click()
    expect(page.get_by_text("Heard nothing")).to_be_visible()
