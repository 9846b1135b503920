"""Takes a screenshot of a page, with a browser of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from devkit.terminal.output import Problem

BROWSERS = (
    "chromium-headless-shell",  # the same engine without windows, which starts in less
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
WIDTH = 800
LEAST, MOST = 60, 16_000
"""Pixels a picture is high, whatever the page says."""
HEIGHT = re.compile(r'<html[^>]*\bdata-height="(\d+)"')
PATIENCE = 60.0
"""Seconds for each of the two times the browser is started."""


def find_browser() -> str:
    """Find a browser that can take pictures; raises Problem if there is none."""
    for name in BROWSERS:
        program = shutil.which(name)
        if program is not None:
            return program
    raise Problem("taking a picture needs Chromium or Chrome on the PATH", hint="install one, or use --html")


def take(page: str, file: Path) -> None:
    """Write a screenshot of a page, as high as its content; raises Problem."""
    browser = find_browser()
    with tempfile.TemporaryDirectory(prefix="devkit-") as folder:
        source, picture_file = Path(folder, "page.html"), Path(folder, "page.png")
        source.write_text(page, encoding="utf-8")
        dumped = _run(browser, folder, 1000, "--dump-dom", source.as_uri())
        measured = HEIGHT.search(dumped)
        if measured is None:
            raise Problem(f"{browser} could not render the page", hint="write it with --html to look at it")
        height = min(max(int(measured[1]), LEAST), MOST)
        _run(browser, folder, height, f"--screenshot={picture_file}", source.as_uri())
        if not picture_file.is_file():
            raise Problem(f"{browser} created no image", hint="write the page with --html to look at it")
        write(file, picture_file.read_bytes(), "--png")


def write(file: Path, content: bytes, option: str) -> None:
    """Write a file atomically; raises Problem that names the option."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(file)
    except OSError as error:
        # Removing it may fail for the reason that writing did.
        if os.access(file.parent, os.W_OK):
            fresh.unlink(missing_ok=True)
        raise Problem(
            f"{file} cannot be written: {error.strerror}", hint=f"choose another place with {option}"
        ) from None


def _run(browser: str, folder: str, height: int, *arguments: str) -> str:
    command = [browser, "--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    command += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{height}", "--virtual-time-budget=5000"]
    if os.geteuid() == 0:  # Chromium refuses to be confined as root; what it shows is the author's own page
        command.append("--no-sandbox")
    try:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Problem(f"{browser} created no image within {PATIENCE:g} seconds", hint="try --html") from None
    except OSError as error:
        raise Problem(f"{browser} cannot be started: {error.strerror}") from None
    return done.stdout
