"""What of an author's own a project may read: variables of the environment, and references into 1Password.

A manifest names what it wants, and whoever clones a project did not write it. So nothing is taken unless its author was
told to: once for a folder (`devkit secrets --allow NAME`), or where the command runs (`DEVKIT_ALLOW_ENV`).
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Sequence
from pathlib import Path

from devkit.hosts import credentials
from devkit.local_host import private_files
from devkit.terminal.output import Problem

SETTING = "DEVKIT_ALLOW_ENV"


def file() -> Path:
    """Give the file that keeps what each folder may read; it is the author's, and outside every project."""
    return credentials.path().with_name("allowed.json")


def patterns(folder: Path) -> list[str]:
    """List the names that the project of a folder may read, which may hold `*`; raises Problem."""
    here = os.environ.get(SETTING, "").replace(",", " ").split()
    return here + _kept().get(str(folder.resolve()), [])


def matches(name: str, allowed: Sequence[str]) -> bool:
    """Tell whether a name is among those that are allowed."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed)


def change(folder: Path, allow: list[str], withdraw: list[str]) -> None:
    """Let the project of a folder read more names, or fewer; raises Problem."""
    kept = _kept()
    here = [name for name in kept.pop(str(folder.resolve()), []) if name not in (*allow, *withdraw)] + allow
    if here:
        kept[str(folder.resolve())] = here
    try:
        place = file().resolve()  # a link, as people have who keep such files elsewhere, stays one
        place.parent.parent.mkdir(parents=True, exist_ok=True)
        place.parent.mkdir(mode=private_files.FOLDER, exist_ok=True)
        private_files.write(place, json.dumps(kept, indent=2) + "\n")
    except OSError as error:
        raise Problem(f"{file()} cannot be written: {error.strerror}") from error


def _kept() -> dict[str, list[str]]:
    try:
        stored = json.loads(file().read_text(encoding="utf-8"))
        return {str(folder): [str(name) for name in names] for folder, names in stored.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise Problem(f"{file()} cannot be read: {error}; remove it, and allow anew what projects may read") from error
