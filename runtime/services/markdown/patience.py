"""How much is looked at for a text: what looks ahead again and again ends, and so does a reader without more time."""

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
    """A text takes more time to read than whoever waits for it has."""


class Clock:
    """Counts the processor time of this thread, and ends what takes too much of it."""

    def __init__(self, seconds: float) -> None:
        """Start measuring."""
        self._until = time.thread_time() + seconds
        self._calls = 0

    def look(self) -> None:
        """Say that something was done; raises `TakesTooLong`."""
        self._calls += 1
        if self._calls % _CALLS == 0 and time.thread_time() > self._until:
            raise TakesTooLong


def line_in_time(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Look at the clock for each line; a rule that never reads anything."""
    clock = state.env.get("clock")
    if clock is not None:
        clock.look()
    return False


def token_in_time(state: StateInline, silent: bool) -> bool:
    """Look at the clock for each piece of a line; a rule that never reads anything."""
    clock = state.env.get("clock")
    if clock is not None:
        clock.look()
    return False


def end_of_quotes(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """End a quote before a line without `>` once a text had enough of such lines looked through.

    Each quote looks ahead for what may go on with it. Where the next one begins before that, it looks once more: that
    would take the square of the lines.
    """
    if not silent or state.parentType != "blockquote":
        return False
    quotes = state.env.setdefault("quotes", {"line": 0, "left": _ALWAYS + _FOR_EACH_LINE * len(state.bMarks)})
    former = quotes["line"] if state.line < quotes["line"] < start else state.line
    quotes["left"] -= start - former + _LAZY
    quotes["line"] = start
    return bool(quotes["left"] < 0)
