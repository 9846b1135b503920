"""What an author sees: the preview's first paint, what it loads, and from saving a file to the screen."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.hosts import Unmeasurable, free_port
from benchmarks.measures.save import PAUSE, SAMPLE, TIMES, ready
from benchmarks.results import Result

WATCH = """(wanted) => new Promise((seen) => {
  const look = () => document.body.innerText.includes(wanted) && (observer.disconnect(), seen(Date.now()), true);
  const observer = new MutationObserver(look);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
})"""
"""Resolves to the moment at which a text stands on the page."""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
SIZES = """() => performance.getEntriesByType('resource').filter((one) => one.name.split('?')[0].endsWith('.js'))
  .reduce((sum, one) => [sum[0] + one.encodedBodySize, sum[1] + one.decodedBodySize], [0, 0])"""


def measure() -> Iterator[Result]:
    """Open the preview of the counter sample in headless Chromium, and change its script and its manifest."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Unmeasurable("playwright is missing: `make venv-test` installs it") from None
    program = shutil.which("chromium")
    if program is None:
        raise Unmeasurable("chromium is missing (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory(prefix="benchmark-page-") as folder:
        project = Path(folder) / "counter"
        shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns(".devkit", "__pycache__"))
        command = [sys.executable, "-m", "devkit", "dev", str(project), "--no-open", "--json"]
        process = subprocess.Popen(
            [*command, "--port", str(free_port())], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            url = ready(process)["url"]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
                yield from _opened(browser, url)
                yield from _saved(browser, url, project)
                browser.close()
        finally:
            process.terminate()
            process.wait(timeout=60)


def _opened(browser: Any, url: str) -> Iterator[Result]:
    paints, sizes = [], (0, 0)
    for _ in range(TIMES):
        page = browser.new_context().new_page()
        page.goto(url)
        page.wait_for_function(PAINT)
        page.get_by_text("Clicked 0 times").wait_for()
        paints.append(float(page.evaluate(PAINT)))
        sizes = page.evaluate(SIZES)
        page.context.close()
    note = f"slowest {max(paints):.0f} ms; each in a fresh profile"
    yield Result("first-paint", "preview page: first paint", "ms", median(paints), 300, True, note=note)
    note = f"gzipped; {sizes[1] / 1000:.0f} kB as they are read"
    yield Result("page-javascript", "preview page: JavaScript in all", "kB", sizes[0] / 1000, 60, True, note=note)


def _saved(browser: Any, url: str, project: Path) -> Iterator[Result]:
    page = browser.new_context().new_page()
    page.goto(url)
    page.get_by_text("Clicked 0 times").wait_for()
    for what, file, old in (
        ("script", "integration.py", "Clicked"),
        ("manifest", "integration.yaml", "title: Counter"),
    ):
        source = project / file
        text, took = source.read_text(encoding="utf-8"), []
        for number in range(TIMES):
            time.sleep(PAUSE)
            word = f"Word{number}"
            began = time.time() * 1000
            source.write_text(
                text.replace(old, old.replace("Clicked", word).replace("Counter", word)), encoding="utf-8"
            )
            took.append(float(page.evaluate(WATCH, word)) - began)
        source.write_text(text, encoding="utf-8")
        time.sleep(PAUSE)
        note = f"slowest {max(took):.0f} ms"
        yield Result(f"screen-{what}", f"save of a {what} to the screen", "ms", median(took), 50, True, note=note)
    page.context.close()
