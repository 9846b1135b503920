"""What Deno says of packages that are missing, with the fix for a project that is bundled and uses npm."""

from __future__ import annotations

import itertools
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import click

from devkit.build.esbuild import explained

MISSING = re.compile(
    r'^error: (?:Could not resolve "(?P<known>[^"]+)", but found it in a package\.json'
    r'|Import "(?P<unknown>[^"]+)" not a dependency)'
)
REFUSED = re.compile(
    r"^error: (?P<why>(?:unexpected argument|invalid value|a value is required|the argument|equal sign is needed) .+)"
)
"""What Deno says first, and as good as alone, of options that it cannot use."""
NOISE = re.compile(r"^(?:error: Test failed$|\s+hint: .*`deno (?:add|install))")
"""What is said already, and fixes for projects of Deno."""


def reworded(lines: Iterable[str], folder: Path) -> Iterator[str]:
    """Yield the lines that Deno writes for people, with fixes that hold for this project."""
    for line in lines:
        plain = click.unstyle(line.rstrip("\n"))
        missing = MISSING.match(plain)
        if missing is not None:
            name = missing["known"] or missing["unknown"]
            fix = explained(folder, f'Could not resolve "{name}"')
            yield f"error: {fix}\n"
        elif NOISE.match(plain) is None:
            yield line


def refusal(line: str) -> str | None:
    """Return why Deno refuses its options, from its first line; None where it does not."""
    refused = REFUSED.match(click.unstyle(line.rstrip("\n")))
    return None if refused is None else refused["why"]


def passed_on(written: IO[str], folder: Path, refusals: list[str]) -> threading.Thread:
    """Write what comes from Deno on standard error, until it ends; returns the thread that does.

    Why it refuses its options, if it does, is put into `refusals` instead.
    """

    def write() -> None:
        first = written.readline()
        if (why := refusal(first)) is not None:
            refusals.append(why)
            written.read()
            return
        for line in reworded(itertools.chain([first], written), folder):
            sys.stderr.write(line)
            sys.stderr.flush()

    thread = threading.Thread(target=write, name="deno messages", daemon=True)
    thread.start()
    return thread
