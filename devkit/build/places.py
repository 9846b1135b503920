"""Names places in the author's files as people read them."""

from __future__ import annotations

from pathlib import Path


def relative(file: Path, folder: Path) -> str:
    """Name a file by its way from the project's folder; one outside by its name."""
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def source_line(file: Path, line: int) -> str | None:
    """Read one line of a file; None where it cannot be read, and the place alone must say enough."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else None
