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


def between(before: str, after: str) -> tuple[list[Line], bool]:
    """List the lines of changes from one text to another, each with the unchanged lines near it.

    The second value tells whether one of the texts has more lines than are compared.
    """
    old, new = _lines(before), _lines(after)
    cut = max(len(old), len(new)) > MAX_LINES
    lines = [*_all(old[:MAX_LINES], new[:MAX_LINES])]
    changed = [place for place, line in enumerate(lines) if line.kind != "same"]
    near = {there for place in changed for there in range(place - AROUND, place + AROUND + 1)}
    shown: list[Line] = []
    for place, line in enumerate(lines):
        if place in near:
            shown.append(line)
        elif not shown or shown[-1].kind != "gap":
            shown.append(Line("gap", ""))
    return (shown if changed else []), cut


def _lines(text: str) -> list[str]:
    """Split a text at its line feeds only: of the other separators a text may have any number, and they end no line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _all(before: list[str], after: list[str]) -> Iterator[Line]:
    old = new = 0
    for mine, other in [*align(before, after), (len(before), len(after))]:
        yield from (Line("gone", text) for text in before[old:mine])
        yield from (Line("new", text) for text in after[new:other])
        if mine < len(before):
            yield Line("same", before[mine])
        old, new = mine + 1, other + 1
