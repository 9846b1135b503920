"""What changed between two texts, line by line, with the lines around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from runtime.services.merging.alignment import align

MAX_LINES = 10_000
"""Lines of a text that are compared; what follows is left out."""
AROUND = 3
"""Unchanged lines that are shown before and after a change."""


class Line(NamedTuple):
    """A line that is the same, gone or new; `gap` stands for unchanged lines that are left out."""

    kind: Literal["same", "gone", "new", "gap"]
    text: str


def between(before: str, after: str) -> list[Line]:
    """List the lines of changes from one text to another, each with the unchanged lines near it."""
    lines = [*_all(before.splitlines()[:MAX_LINES], after.splitlines()[:MAX_LINES])]
    changed = [place for place, line in enumerate(lines) if line.kind != "same"]
    near = {there for place in changed for there in range(place - AROUND, place + AROUND + 1)}
    shown: list[Line] = []
    for place, line in enumerate(lines):
        if place in near:
            shown.append(line)
        elif not shown or shown[-1].kind != "gap":
            shown.append(Line("gap", ""))
    return shown if changed else []


def _all(before: list[str], after: list[str]) -> Iterator[Line]:
    old = new = 0
    for mine, other in [*align(before, after), (len(before), len(after))]:
        yield from (Line("gone", text) for text in before[old:mine])
        yield from (Line("new", text) for text in after[new:other])
        if mine < len(before):
            yield Line("same", before[mine])
        old, new = mine + 1, other + 1
