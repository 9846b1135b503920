"""The regular expressions of Pygments' lexers, with a time limit.

Python's `re` has none and holds the interpreter meanwhile: sixty characters of `bash` would stop a host forever. The
`regex` module understands the same expressions, and gives up after a time.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import regex
from pygments.lexer import Lexer, RegexLexerMeta
from pygments.util import Future

ONE_MATCH = 0.02
"""Seconds for one match: the longest text that is colored takes a thousandth of it."""
_at_work = threading.local()


class Spent(Exception):
    """The time limit is reached."""


class TimedPattern:
    """An expression that gives up when the time of its thread is over; raises Spent."""

    def __init__(self, pattern: str, flags: int) -> None:
        """Take what `re.compile` takes."""
        with_unicode = flags & re.ASCII == 0 and regex.UNICODE
        self._pattern = regex.compile(pattern, flags & ~(re.UNICODE | re.DEBUG) | with_unicode | regex.VERSION0)

    def match(self, text: str, start: int = 0, end: int | None = None) -> Any:
        """Match at a place, as a pattern of `re` does."""
        with _limit() as seconds:
            return self._pattern.match(text, start, end, timeout=seconds)

    def search(self, text: str) -> Any:
        """Find the first match, as a pattern of `re` does."""
        with _limit() as seconds:
            return self._pattern.search(text, timeout=seconds)

    def split(self, text: str) -> list[Any]:
        """Divide a text, as a pattern of `re` does."""
        with _limit() as seconds:
            return self._pattern.split(text, timeout=seconds)


@contextmanager
def _limit() -> Iterator[float]:
    left = min(ONE_MATCH, getattr(_at_work, "end", math.inf) - time.thread_time())
    if left <= 0:
        raise Spent
    try:
        yield left
    except TimeoutError:
        raise Spent from None


@contextmanager
def limited(end: float) -> Iterator[None]:
    """Let matches in this thread give up at a moment of `time.thread_time`."""
    _at_work.end = end
    try:
        yield
    finally:
        del _at_work.end


def protect(lexer: Lexer) -> None:
    """Give a lexer, that matches prompts by itself, the same limit."""
    for name in dir(type(lexer)):
        pattern = getattr(type(lexer), name)
        if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
            setattr(lexer, name, TimedPattern(pattern.pattern, pattern.flags))


def _compiled(cls: type, pattern: Any, flags: int, state: str) -> Callable[..., Any]:
    source: Any = pattern
    if isinstance(pattern, Future):
        source = pattern.get()  # type: ignore[func-returns-value]
    return TimedPattern(source, flags).match


# Lexers are prepared when the first of their kind is made, also those that others use: there is no other place in which
# all of them can be reached.
RegexLexerMeta._process_regex = _compiled  # type: ignore[attr-defined]
