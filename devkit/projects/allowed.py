"""What of an author's own a project may read: variables of the environment, and references into 1Password.

A manifest names what it wants, and whoever clones a project did not write it. So at a terminal, where somebody's own
environment is, nothing is taken unless they say so: once for a folder (`devkit secrets --allow NAME`), or for a command
(`DEVKIT_ALLOW_ENV`). Without a terminal, as in CI, the environment was made for the command: it is taken as it stands,
unless `DEVKIT_ALLOW_ENV` says which part of it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from devkit.files import private_files
from devkit.hosts import credentials
from devkit.terminal.output import Problem

SETTING = "DEVKIT_ALLOW_ENV"


def file() -> Path:
    """Return the file that keeps what each folder may read; it is the author's, and outside every project."""
    return credentials.path().with_name("allowed.json")


def patterns(folder: Path) -> list[str]:
    """List the names that the project of a folder may read, which may hold `*`; raises Problem."""
    said = os.environ.get(SETTING)
    if said is None and not at_terminal():
        return ["*"]
    return (said or "").replace(",", " ").split() + kept(folder)


def kept(folder: Path) -> list[str]:
    """List the names that its author let the project of a folder read, once and for all; raises Problem."""
    return _kept().get(str(folder.resolve()), [])


def at_terminal() -> bool:
    """Return whether somebody sits at this command, in an environment of their own."""
    return sys.stdin is not None and sys.stdin.isatty()


def matches(name: str, allowed: Sequence[str]) -> bool:
    """Return whether a name is among those that are allowed."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed)


def change(folder: Path, allow: list[str], withdraw: list[str]) -> None:
    """Let the project of a folder read more names, or fewer; raises Problem."""
    every = _kept()
    here = [name for name in every.pop(str(folder.resolve()), []) if name not in (*allow, *withdraw)] + allow
    if here:
        every[str(folder.resolve())] = here
    try:
        place = file().resolve()  # a link, as people have who keep such files elsewhere, stays one
        place.parent.parent.mkdir(parents=True, exist_ok=True)
        place.parent.mkdir(mode=private_files.FOLDER, exist_ok=True)
        private_files.write(place, json.dumps(every, indent=2) + "\n")
    except OSError as error:
        raise Problem(f"{file()} cannot be written: {error.strerror}") from error


def _kept() -> dict[str, list[str]]:
    try:
        stored = json.loads(file().read_text(encoding="utf-8"))
        return {str(folder): [str(name) for name in names] for folder, names in stored.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise Problem(
            f"{file()} cannot be read: {error}", hint="remove it, and run `devkit secrets --allow` again"
        ) from error
