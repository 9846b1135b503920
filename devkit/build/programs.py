"""Runs other programs on a project: bundlers and compilers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


def run(command: Sequence[str], folder: Path, patience: float) -> subprocess.CompletedProcess[str]:
    """Run a program in a project's folder, which the names of files it tells are relative to, without an input.

    Raises OSError where it cannot be started, and TimeoutExpired after `patience` seconds.
    """
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=patience,
    )
