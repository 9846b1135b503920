"""A headless Chromium that looks at a real `devkit dev`, and complains of anything wrong on the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from devkit.rendering.picture import BROWSERS
from tests.devkit.dev_process import DevProcess, copy_sample

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 30_000
"""Milliseconds: machines that run everything at once are slow, and no test asserts a time."""
OWN = {"127.0.0.1", "localhost"}


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)


def executable() -> str | None:
    """Where the browser is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = executable()
    if not chromium:
        pytest.skip("this test drives a browser and finds none; on Debian: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield started
        started.close()


class Looker:
    """A page with all that went wrong on it; `allowed` are parts of console errors that a test brings about itself."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.allowed: list[str] = []
        self.wrong: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(f"exception: {error}"))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname or ""))

    def check(self) -> None:
        """Complain of errors on the console and of requests that left this machine."""
        surprising = [text for text in self.wrong if not any(part in text for part in self.allowed)]
        assert surprising == []
        assert {host for host in self.hosts if not host.endswith(".localhost")} - {""} <= OWN


@pytest.fixture
def looker(browser: Any) -> Iterator[Looker]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    looking = Looker(page)
    yield looking
    looking.check()
    context.close()


@pytest.fixture
def page(looker: Looker) -> Any:
    return looker.page


@pytest.fixture
def dev(browser: Any, tmp_path: Path) -> Iterator[Callable[[str], DevProcess]]:
    """Start `devkit dev` on a copy of a sample, or of the gallery beside this file; needs a browser to be of use."""
    running: list[DevProcess] = []

    def start(name: str) -> DevProcess:
        if name == "gallery":
            folder = tmp_path / name
            shutil.copytree(Path(__file__).parent / name, folder)
        else:
            folder = copy_sample(name, tmp_path)
        running.append(DevProcess(folder, tmp_path))
        running[-1].wait("ready")
        return running[-1]

    yield start
    for process in running:
        assert process.end() == 0
        assert process.errors == []


@pytest.fixture(scope="module")
def gallery(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
    """One `devkit dev` on the gallery for the tests that change none of its files."""
    folder = tmp_path_factory.mktemp("gallery")
    shutil.copytree(Path(__file__).parent / "gallery", folder / "gallery")
    process = DevProcess(folder / "gallery", folder)
    process.wait("ready")
    yield process
    assert process.end() == 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a kind of origins has nothing to do with."""
    selected = [item for item in items if _meant(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _meant(item)])
    items[:] = selected


def _meant(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("kinds")
    call = getattr(item, "callspec", None)
    return marker is None or call is None or call.params["met"] in marker.args
