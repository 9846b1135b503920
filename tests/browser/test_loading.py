"""What the preview's pages load: all of it known in advance, all of it small."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from runtime.web.preview_pages import PAGES
from tests.browser.code_size import MOST
from tests.devkit.dev_process import DevProcess

WITH_CODE = "/contentkit/highlight.js"
"""Loaded with the first block of code, such as one of the sample here."""
LOADED = "performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"


@pytest.mark.parametrize("address", PAGES)
def test_a_page_names_its_modules_in_advance(page: Any, gallery: DevProcess, address: str) -> None:
    page.goto(gallery.url)
    expect(page.locator("#line")).to_have_attribute("data-state", "live")
    page.goto(gallery.url.split("/preview/")[0] + address.replace("<name>", "gallery"))
    expect(page.locator("#line")).to_have_attribute("data-state", "live")
    html = page.evaluate("fetch(location.pathname).then((answer) => answer.text())")
    (entry,) = re.findall(r'<script type="module" src="([^"]+)">', html)
    named = [entry, *re.findall(r'<link rel="modulepreload" href="([^"]+)"', html)]
    assert len(set(named)) == len(named)
    assert {path for path in page.evaluate(LOADED) if path.endswith(".js")} - {WITH_CODE} == set(named)
    code = [page.request.get(gallery.url.split("/preview/")[0] + path).body() for path in named]
    assert sum(len(gzip.compress(module, 9)) for module in code) < MOST
