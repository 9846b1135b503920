"""The processes of an engine under test."""

from __future__ import annotations

import os
from pathlib import Path

OTHERS: set[int] = set()
"""Processes below this one that are none of the engine's under test."""


def family() -> list[int]:
    """Return the processes of the engine under test: those below this one that were not there before it."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
    results, todo = [], list(parents.get(os.getpid(), []))
    while todo:
        pid = todo.pop()
        if pid in OTHERS:
            continue
        results.append(pid)
        todo += parents.get(pid, [])
    return results
