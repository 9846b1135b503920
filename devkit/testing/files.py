"""Finds the tests of a project, by the language they are in. Imports nothing that takes time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from devkit.terminal.output import Problem
from runtime.contract.manifest_files import FILES

FOLDER = Path(__file__).parent / "typescript"
TYPES = FOLDER / "devkit-test.d.ts"
"""The types of `devkit:test`, which projects in TypeScript have a copy of."""
SKIPPED_FOLDERS = {"node_modules", "golden", "__pycache__"}
IN_TYPESCRIPT = re.compile(r"(?:[._]|^)test\.(?:ts|tsx|mts|js|jsx|mjs)$")
IN_PYTHON = re.compile(r"(?:test_.*|.*_test)\.py$")
IMPORTS_VERBS = re.compile(r"""\bfrom\s*['"]devkit:test['"]""")


def in_python(place: Path) -> bool:
    """Return whether there is a file in a folder or below that pytest would look into."""
    return any(IN_PYTHON.match(file.name) for file in _below(place))


def in_typescript(place: Path) -> list[Path]:
    """List the test files at a path or below that import `devkit:test`, also those in JavaScript; raises Problem."""
    files = [place] if place.is_file() else sorted(_below(place))
    return [file for file in files if IN_TYPESCRIPT.search(file.name) and IMPORTS_VERBS.search(_read(file))]


def is_project(folder: Path) -> bool:
    """Return whether there is a manifest in a folder."""
    # Not devkit.projects.project, which reads manifests: pytest reports tests that do not fit their manifest.
    return any((folder / name).is_file() for name in FILES)


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        if place != str(folder) and is_project(Path(place)):  # whose tests are its own
            folders.clear()
            continue
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        yield from (Path(place) / name for name in files)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from error
