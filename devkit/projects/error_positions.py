"""Maps errors of a host to positions in the author's files."""

from __future__ import annotations

import re
from pathlib import Path

from devkit.manifests.findings import Finding
from devkit.projects.project import load
from devkit.terminal.output import Problem

PLACE = re.compile(r"^script: (?P<file>[^:\s]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<message>.*)$", re.DOTALL)


def finding_of(sentence: str, folder: Path, path: str | None) -> Finding:
    """Return the finding for a refused request: file, line, column and source line, or without a place."""
    placed = PLACE.match(sentence)
    if placed is None:
        return Finding("", 0, 0, sentence)
    line = int(placed["line"])
    source = _source(path, placed["file"], line)
    return Finding(placed["file"], line, int(placed["column"] or 1), placed["message"], source)


def _source(path: str | None, name: str, line: int) -> str | None:
    try:
        project = load(path)
        # Bundles name files from the project's folder, Python scripts from the one that holds the script.
        places = (project.folder / name, project.script.parent / name)
        file = next((place for place in places if place.is_file()), project.script)
        lines = file.read_text(encoding="utf-8").splitlines()
    except (Problem, OSError, UnicodeDecodeError):
        return None
    return lines[line - 1] if 0 < line <= len(lines) else None
