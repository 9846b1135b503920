"""The sample in TypeScript, as a person meets it: drawn in its frame, edited, and never left with a broken version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.devkit.dev_process import SAMPLES, DevProcess

pytestmark = pytest.mark.skipif(
    not (SAMPLES / "diagram-js" / "node_modules" / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)


def test_the_diagram_is_drawn_edited_and_reloaded(page: Any, dev: Callable[[str], DevProcess]) -> None:
    process = dev("diagram-js")
    page.goto(process.url)
    drawing = page.frame_locator("iframe").locator("svg.diagram")
    expect(drawing).to_have_attribute("data-boxes", "3")
    expect(drawing).to_have_attribute("data-arrows", "3")
    expect(drawing.get_by_text("Database")).to_be_visible()
    page.locator(".ck-codeblock textarea").fill("A -> B\nB -> C\nC -> D: last\nE")
    expect(drawing).to_have_attribute("data-boxes", "5")
    expect(drawing.get_by_text("last")).to_be_visible()
    wide = drawing.bounding_box()
    page.get_by_role("combobox").select_option(label="Top to bottom")
    expect(drawing).to_have_attribute("viewBox", "0 0 234 580")
    assert drawing.bounding_box() != wide
    page.get_by_role("button", name="Example").click()
    expect(drawing).to_have_attribute("data-boxes", "3")

    process.edit("src/index.tsx", ('label="Example"', 'label="Show an example"'))
    expect(page.get_by_role("button", name="Show an example")).to_be_visible()
    process.edit("src/index.tsx", ("const EXAMPLE = ", "const EXAMPLE == "))
    fault = page.locator("#fault")
    expect(fault.locator(".fault-place")).to_have_text("src/index.tsx:13:15")
    expect(fault.locator(".fault-source")).to_contain_text("const EXAMPLE ==")
    process.edit("src/index.tsx", ("const EXAMPLE == ", "const EXAMPLE = "))
    expect(fault).to_be_hidden()
    expect(drawing).to_have_attribute("data-boxes", "3")
