"""Limits for parsing: bounds repeated look-ahead, and the processor time of a reader."""

from __future__ import annotations

import time

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_ALWAYS, _FOR_EACH_LINE = 20_000, 4
_LAZY = 8
"""What a line without `>` weighs that may go on with a quote: all rules are asked about it."""
_CALLS = 128
"""Between two looks at the clock."""


class TakesTooLong(Exception):
    """A text takes more processor time to parse than is allowed."""


class Clock:
    """Measures this thread's processor time and raises when it is used up."""

    def __init__(self, seconds: float) -> None:
        """Start measuring."""
        self._until = time.thread_time() + seconds
        self._calls = 0

    def check(self) -> None:
        """Check the time; raises `TakesTooLong`."""
        self._calls += 1
        if self._calls % _CALLS == 0 and time.thread_time() > self._until:
            raise TakesTooLong


def line_in_time(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Check the clock for each line; a rule that never matches."""
    clock = state.env.get("clock")
    if clock is not None:
        clock.check()
    return False


def token_in_time(state: StateInline, silent: bool) -> bool:
    """Check the clock for each inline token; a rule that never matches."""
    clock = state.env.get("clock")
    if clock is not None:
        clock.check()
    return False


def end_of_quotes(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """End a quote before a line without `>` once enough such lines of a text were scanned.

    Each quote scans ahead for lines that may continue it. If the next quote begins before that, it scans again, which
    would take quadratic time.
    """
    if not silent or state.parentType != "blockquote":
        return False
    quotes = state.env.setdefault("quotes", {"line": 0, "left": _ALWAYS + _FOR_EACH_LINE * len(state.bMarks)})
    former = quotes["line"] if state.line < quotes["line"] < start else state.line
    quotes["left"] -= start - former + _LAZY
    quotes["line"] = start
    return bool(quotes["left"] < 0)
