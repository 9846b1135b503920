"""An author at work: press, edit, break, fix, and never reload the page by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Looker
from tests.devkit.dev_process import DevProcess


def open_counter(page: Any, dev: Callable[[str], DevProcess]) -> DevProcess:
    process = dev("counter")
    page.goto(process.url)
    expect(page.get_by_text("Clicked 0 times")).to_be_visible()
    page.evaluate("window.untouched = true")
    return process


def test_the_buttons_act_and_edits_appear_with_the_state_kept(page: Any, dev: Callable[[str], DevProcess]) -> None:
    process = open_counter(page, dev)
    for count in ("1 time", "2 times", "3 times"):
        page.get_by_role("button", name="Click me").click()
        expect(page.get_by_text(f"Clicked {count}", exact=True)).to_be_visible()
    expect(page.locator("#state")).to_have_value(re.compile('"count": 3'))
    process.edit("integration.py", ("Clicked {", "Pressed {"))
    expect(page.get_by_text("Pressed 3 times")).to_be_visible()
    process.edit("integration.yaml", ("title: Counter\ndesc", "title: Renamed\ndesc"))
    expect(page.locator("#title")).to_have_text("Renamed")
    expect(page.get_by_text("Pressed 3 times")).to_be_visible()
    assert page.evaluate("window.untouched")
    assert "key=" not in page.url


def test_quick_presses_are_counted_one_after_the_other(page: Any, dev: Callable[[str], DevProcess]) -> None:
    open_counter(page, dev)
    page.get_by_role("button", name="Click me").evaluate("button => { for (let n = 0; n < 10; n++) button.click() }")
    expect(page.get_by_text("Clicked 10 times")).to_be_visible()


def test_a_broken_script_is_shown_with_its_place_until_it_is_fixed(page: Any, dev: Callable[[str], DevProcess]) -> None:
    process = open_counter(page, dev)
    page.get_by_role("button", name="Click me").click()
    process.edit("integration.py", ("def reset(element):", "def reset(element)"))
    fault = page.locator("#fault")
    expect(fault).to_be_visible()
    expect(fault).to_contain_text("SyntaxError: expected ':'")
    expect(fault.locator(".fault-place")).to_have_text("integration.py:34:19")
    expect(fault.locator(".fault-source")).to_contain_text("def reset(element)")
    # The last good version goes on.
    page.get_by_role("button", name="Click me").click()
    expect(page.get_by_text("Clicked 2 times")).to_be_visible()
    process.edit("integration.py", ("def reset(element)", "def reset(element):"), ("Clicked {", "Mended {"))
    expect(fault).to_be_hidden()
    expect(page.get_by_text("Mended 2 times")).to_be_visible()
    assert page.evaluate("window.untouched")


def test_a_broken_manifest_is_shown_with_its_place(page: Any, dev: Callable[[str], DevProcess]) -> None:
    process = open_counter(page, dev)
    process.edit("integration.yaml", ("visibility: private", "visibility: secret"))
    fault = page.locator("#fault")
    expect(fault.locator(".fault-place")).to_have_text("integration.yaml:8:13")
    expect(fault.locator(".fault-source")).to_contain_text("visibility: secret")
    process.edit("integration.yaml", ("visibility: secret", "visibility: private"))
    expect(fault).to_be_hidden()


def test_a_page_opened_before_the_first_version_begins_by_itself(
    page: Any, dev: Callable[[str], DevProcess], tmp_path: Any
) -> None:
    process = dev("counter")
    process.end()
    process.edit("integration.py", ("def reset(element):", "def reset(element)"))
    broken = DevProcess(process.folder, tmp_path, "--data", str(tmp_path / "fresh"))
    page.goto(broken.url)
    expect(page.locator("#fault .fault-place")).to_have_text("integration.py:34:19")
    expect(page.get_by_text("There is no version yet")).to_be_visible()
    broken.edit("integration.py", ("def reset(element)", "def reset(element):"))
    page.get_by_role("button", name="Click me").click()
    expect(page.get_by_text("Clicked 1 time", exact=True)).to_be_visible()
    expect(page.locator("#fault")).to_be_hidden()
    assert broken.end() == 0


def test_the_page_comes_back_when_the_host_does(
    looker: Looker, dev: Callable[[str], DevProcess], tmp_path: Any
) -> None:
    looker.allowed = [
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED_ENCODING",
        "ERR_EMPTY_RESPONSE",
        "ERR_CONNECTION_RESET",
    ]
    page = looker.page
    process = open_counter(page, dev)
    page.get_by_role("button", name="Click me").click()
    expect(page.get_by_text("Clicked 1 time", exact=True)).to_be_visible()
    process.end()
    expect(page.locator("#line")).to_contain_text("Reconnecting")
    again = DevProcess(process.folder, tmp_path, "--port", str(process.port))
    again.edit("integration.py", ("Clicked {", "Back {"))
    expect(page.get_by_text("Back 1 time", exact=True)).to_be_visible()
    expect(page.locator("#line")).to_contain_text("Live")
    assert again.end() == 0


def test_without_its_key_the_page_shows_nothing(page: Any, looker: Looker, gallery: DevProcess) -> None:
    looker.allowed = ["401"]
    page.goto(gallery.url.partition("#")[0])
    expect(page.get_by_text("This page needs a key")).to_be_visible()
    expect(page.get_by_text("In the terminal where devkit dev runs")).to_be_visible()
    expect(page.locator("#line")).to_have_text("No key")


def test_scripts_answer_on_another_origin_than_the_pages(looker: Looker, gallery: DevProcess) -> None:
    looker.allowed = ["404", "401"]  # the page is asked for without its key
    address = gallery.url.partition("#")[0]
    answer = looker.page.goto(address.replace("127.0.0.1", "localhost"))
    assert answer.status == 404
    policy = looker.page.goto(address).headers["content-security-policy"]
    assert re.search(rf"connect-src 'self' http://gallery-[a-z0-9]{{20}}\.localhost:{gallery.port} https:;", policy)
    here = f"http://127.0.0.1:{gallery.port}"
    assert f"script-src {here}/preview/static/ {here}/contentkit/;" in policy
