"""Runs the programs of `packages.py` as a person would: with a home of their own."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.clients.packages import MODULES

PATIENCE = 120
CLI = MODULES / "@gitbook" / "cli" / "dist" / "cli.js"


@dataclass
class Ran:
    """How a program ended and what it wrote."""

    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment without whatever the person who runs the tests has logged in to."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("GITBOOK_", "DEVKIT_"))}
    places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "TMPDIR": str(home)}
    return known | places | {"NO_COLOR": "1", "CI": "1"} | more


def node(home: Path, *arguments: str | Path, folder: Path | None = None, given: str = "", **environ: str) -> Ran:
    """Run a program of Node to its end; `given` is what is typed."""
    done = subprocess.run(
        ["node", *map(str, arguments)],
        env=environment(home, **environ),
        cwd=folder or home,
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
