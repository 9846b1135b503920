"""Runs the tests of a project that its package.json has a script for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devkit.terminal.output import Problem
from devkit.testing import python_tests

CALLS_US = re.compile(r"\bdevkit\s+test\b")


def there(folder: Path) -> bool:
    """Return whether package.json has a script of tests; raises Problem. One that runs `devkit test` is none."""
    file = folder / "package.json"
    if not file.is_file():
        return False
    try:
        written = json.loads(file.read_text(encoding="utf-8")).get("scripts", {}).get("test")
    except (OSError, ValueError, AttributeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from None
    return isinstance(written, str) and not CALLS_US.search(written)


def run(folder: Path, env: str | None, options: Sequence[str], as_json: bool, outcomes: list[dict[str, Any]]) -> int:
    """Run it with options, and pass its output on, or discard it with JSON; returns 0 or 1. Raises Problem."""
    program = shutil.which("npm")
    if program is None:
        raise Problem("npm, which runs the tests of this project, is not installed", hint="install Node.js")
    if not (folder / "node_modules").is_dir():
        raise Problem(f"the packages of {folder.name} are not installed", hint=f"run `npm install` in {folder}")
    sys.stdout.flush()
    done = subprocess.run(
        [program, "test", "--silent", *(["--", *options] if options else [])],
        cwd=folder,
        env=os.environ if env is None else os.environ | {"DEVKIT_ENV": env},
        stdout=subprocess.PIPE if as_json else None,
        stderr=subprocess.STDOUT if as_json else None,
    )
    output = (done.stdout or b"").decode("utf-8", "replace")
    failed = done.returncode != 0
    outcomes.append(python_tests.outcome_of("npm test", "failed" if failed else "passed", output if failed else ""))
    return int(failed)
