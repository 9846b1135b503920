"""References of a manifest into 1Password, `op://VAULT/ITEM/FIELD`, read with its own program."""

from __future__ import annotations

import shutil
import subprocess

from devkit.terminal.output import Problem

PROGRAM = "op"
SCHEME = "op://"
PATIENCE = 120.0
"""Seconds: whoever has to be asked for a fingerprint may be elsewhere for a moment."""


def is_there() -> bool:
    """Return whether the program is installed."""
    return shutil.which(PROGRAM) is not None


def read(reference: str) -> str:
    """Read what a reference leads to; raises Problem with what the program said."""
    try:
        done = subprocess.run(
            [PROGRAM, "read", "--no-newline", reference],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"`{PROGRAM}` could not read {reference}: {error}") from error
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2][:300] or f"it exited with {done.returncode}"
        raise Problem(f"`{PROGRAM}` could not read {reference}: {said}", hint="`op signin` signs you in")
    return done.stdout
