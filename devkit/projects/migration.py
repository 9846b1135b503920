"""Manifests of an older form, brought to today's: only the words that changed are touched, comments and order stay."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from devkit.files import private_files
from devkit.manifests.reading import ManifestText, Place
from devkit.terminal.output import Problem

SCOPES = {
    "space:views:read": "site:views:read",
    "space:script:inject": "site:script:inject",
    "space:script:cookies": "site:script:cookies",
    "space:visitor:auth": "site:visitor:auth",
}
"""Scopes of the time when spaces were published -> those of sites (docs/contract/api.md, "Scopes")."""
RUNTIMES = {"v1": "v2"}
"""Runtimes no current tool produces -> what runs the same scripts (docs/contract/scripts.md, "The script")."""


@dataclass(frozen=True, slots=True)
class Change:
    """One word of a manifest that is written differently today."""

    place: Place
    old: str
    new: str


def changes(text: ManifestText) -> list[Change]:
    """Find what is of an older form, in the order of the text."""
    return sorted((*_scopes(text), *_runtime(text)), key=lambda change: change.place)


def _scopes(text: ManifestText) -> Iterator[Change]:
    scopes = text.value.get("scopes")
    for number, scope in enumerate(scopes if isinstance(scopes, list) else ()):
        # Where both forms are given, replacing one would only say the other twice.
        if scope in SCOPES and SCOPES[scope] not in scopes:
            yield Change(text.values["scopes", number], scope, SCOPES[scope])


def _runtime(text: ManifestText) -> Iterator[Change]:
    runtime = text.value.get("runtime")
    if runtime in RUNTIMES:
        yield Change(text.values["runtime",], runtime, RUNTIMES[runtime])


def migrated(text: ManifestText, changes_: list[Change]) -> str:
    """Return the text with the changes in it."""
    lines = text.text.splitlines(keepends=True)
    for change in reversed(changes_):  # from the end, so that places before it stay where they are
        line, column = change.place[0] - 1, change.place[1] - 1
        before, after = lines[line][:column], lines[line][column:]
        lines[line] = before + after.replace(change.old, change.new, 1)
    return "".join(lines)


def difference(text: ManifestText, new: str) -> str:
    """Write what changes as a unified diff."""
    lines = difflib.unified_diff(
        text.text.splitlines(), new.splitlines(), text.file, f"{text.file} (migrated)", lineterm="", n=1
    )
    return "\n".join(lines)


def write(file: Path, new: str) -> None:
    """Put the new text in place, at once; the old one stays beside it with `.before`. Raises Problem."""
    fresh, backup = file.with_name(f".{file.name}.{os.getpid()}"), file.with_name(f"{file.name}.before")
    try:
        shutil.copy(file, backup)  # with its rights: values of secrets may be written into a manifest
        private_files.write(fresh, new)
        shutil.copymode(file, fresh)
        fresh.replace(file)
    except OSError as error:
        raise Problem(f"{file} cannot be migrated: {error.strerror}") from error
