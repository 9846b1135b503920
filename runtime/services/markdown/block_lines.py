"""Finds the lines that open and close the platform's blocks, in one pass."""

from __future__ import annotations

import re
from bisect import bisect_left

TAG = re.compile(r"\{%-?[ \t]*(end)?(@?[A-Za-z][\w.\-]*(?:/[\w.\-]+)?)(?![\w.\-/])")
LIST_MARKERS = re.compile(r"(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*")
FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
DETAILS = re.compile(r"<details(?:\s[^<>]*)?>[ \t]*(<summary>.*)?", re.IGNORECASE)


def tag_of(line: str) -> tuple[str, str, bool, str] | None:
    """Read `{% name attributes %}rest` as (name, attributes, whether it closes, rest); None for any other line."""
    if not line.startswith("{%"):
        if DETAILS.fullmatch(line):
            return "details", line, False, ""
        return ("details", "", True, "") if line.lower() == "</details>" else None
    match = TAG.match(line)
    if match is None:
        return None
    # Not by the expression: one that looks for the spaces before an end goes through a run of them again and again.
    inside, end, rest = line[match.end() :].partition("%}")
    attributes = inside.removesuffix("-").strip(" \t")
    return (match[2], attributes, match[1] is not None, rest.strip()) if end else None


class BlockLines:
    """The lines of a text, with the closing line of each block, and a search for the next line with a needle."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._needles: dict[str, list[int]] = {}
        self.closed: dict[int, int] = _pairs(self._lines)

    def next_with(self, needle: str, line: int) -> int | None:
        """Find the first line, starting at this one, that contains a needle, ignoring case."""
        if needle not in self._needles:
            found = [number for number, text in enumerate(self._lines) if needle in text.lower()]
            self._needles[needle] = found
        lines = self._needles[needle]
        place = bisect_left(lines, line)
        return lines[place] if place < len(lines) else None


class CodeFence:
    """Tells for each line in turn whether it is in fenced code, which ends with its fence or its quotation."""

    def __init__(self) -> None:
        self._fence, self._quoted = "", False

    def holds(self, line: str) -> bool:
        """Return whether the next line is inside a code fence, or is one."""
        text = line.lstrip(" \t>")
        if self._fence:
            if not self._quoted or line.lstrip().startswith(">"):
                if text.startswith(self._fence) and not text.strip().strip(self._fence[0]):
                    self._fence = ""
                return True
            self._fence = ""
        text = behind_markers(text)
        start = FENCE.match(text) if text[:1] in ("`", "~") else None
        if start and not (text[0] == "`" and "`" in start[2]):
            self._fence, self._quoted = start[1], line.lstrip().startswith(">")
            return True
        return False


def behind_markers(text: str) -> str:
    """Return what follows the list markers at the start of a line."""
    return text[LIST_MARKERS.match(text).end() :] if text[:1] in "-+*0123456789" else text  # type: ignore[union-attr]


def _pairs(lines: list[str]) -> dict[int, int]:
    """Pair opening and closing tags like brackets; lines in fenced code are ignored."""
    closed: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    counts: dict[str, int] = {}
    fence = CodeFence()
    for number, line in enumerate(lines):
        if fence.holds(line):
            continue
        text = behind_markers(line.lstrip(" \t>"))
        found = tag_of(text.rstrip()) if text[:1] in ("{", "<") else None
        if found is None or (found[3] and not found[2]):
            continue
        name = found[0]
        if not found[2]:
            opened.append((name, number))
            counts[name] = counts.get(name, 0) + 1
        elif counts.get(name) and not found[3]:
            while True:
                other, start_line = opened.pop()
                counts[other] -= 1
                if other == name:
                    closed[start_line] = number
                    break
    return closed
