"""Formats places in the author's files."""

from __future__ import annotations

from pathlib import Path

from devkit.files import project_files
from devkit.files.own_files import MOST_TEXT, text_of
from devkit.terminal.output import Problem


def relative(file: Path, folder: Path) -> str:
    """Name a file by its way from the project's folder; one outside by its name."""
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def source_line(folder: Path, file: Path, line: int) -> str | None:
    """Read one line of a file of the project in a folder; None where it cannot be read: the place must say enough.

    Source maps and scripts name files as they like, and what is printed here may be in a log that others read: of a
    file outside the project, and of one that is too long for a source, nothing is read.
    """
    if not project_files.within(file, folder):
        return None
    try:
        lines = text_of(file, MOST_TEXT, "a source").split("\n")
    except (OSError, UnicodeDecodeError, Problem):
        return None
    return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else None
