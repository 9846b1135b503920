"""What the preview shows of a render that fails: the author's file and line, not only that it failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.devkit.dev_process import DevProcess

MANIFEST = """
name: fails
title: Fails
script: {script}
runtime: {runtime}
target: space
scopes: []
blocks:
  - id: table
    title: Table
"""
PYTHON = """
import json

from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("table", state={"open": False})
def table(element):
    return ui.block(ui.text("Open" if element.state["open"] else "Closed"), ui.button("Open", on_press="open"))


@table.action("open")
def opened(element):
    return ui.update(state={"open": json.loads("{")})
"""
JAVASCRIPT = """
const open = (state) => state.rows.length;

export default {
  async fetch(request) {
    const event = JSON.parse(await (await request.formData()).get("event"));
    try {
      if (event.action) open({});
    } catch (error) {
      console.error("[fails]", error);
      return Response.json({ error: "Internal server error" }, { status: 500 });
    }
    const children = [{ type: "button", label: "Open", onPress: { action: "open" } }];
    return Response.json({ type: "element", state: {}, props: {}, element: { type: "block", children } });
  },
};
"""
CASES = [
    ("python", "script.py", PYTHON, "script.py:16:37", "JSONDecodeError", 'json.loads("{")'),
    ("v2", "script.js", JAVASCRIPT, "script.js:2:", "TypeError", None),
]


@pytest.mark.parametrize(("runtime", "file", "script", "place", "message", "source"), CASES)
def test_a_render_that_fails_shows_the_line_until_one_works(
    runtime: str,
    file: str,
    script: str,
    place: str,
    message: str,
    source: str | None,
    page: Any,
    looker: Any,
    tmp_path: Path,
) -> None:
    looker.allowed = ["status of 500"]
    folder = tmp_path / "fails"
    folder.mkdir()
    (folder / "integration.yaml").write_text(MANIFEST.format(script=file, runtime=runtime))
    (folder / file).write_text(script)
    process = DevProcess(folder, tmp_path)
    try:
        process.wait("ready")
        page.goto(process.url)
        failure = page.locator("#stage .render-fault")
        page.locator("#stage").get_by_role("button", name="Open", exact=True).click()
        expect(failure.locator(".fault-place")).to_contain_text(place)
        expect(failure.locator(".fault-message")).to_contain_text(message)
        if source is not None:
            expect(failure.locator(".fault-source")).to_contain_text(source)
        page.get_by_role("button", name="Start over").click()
        expect(failure).to_have_count(0)
    finally:
        process.end()


MODAL = """
from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("table")
def table():
    return ui.block(ui.button("Ask", on_press=ui.open_modal("question")))


@integration.component("question")
def question():
    return {}["missing"]
"""


def test_a_dialog_that_fails_has_one_cross(page: Any, looker: Any, tmp_path: Path) -> None:
    looker.allowed = ["status of 502", "status of 500"]
    folder = tmp_path / "fails"
    folder.mkdir()
    (folder / "integration.yaml").write_text(MANIFEST.format(script="script.py", runtime="python"))
    (folder / "script.py").write_text(MODAL)
    process = DevProcess(folder, tmp_path)
    try:
        process.wait("ready")
        page.goto(process.url)
        page.locator("#stage").get_by_role("button", name="Ask").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("alert")).not_to_be_empty()
        expect(dialog.get_by_role("button")).to_have_count(1)
        expect(dialog.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
    finally:
        process.end()
