"""The regular expressions of Pygments' lexers, with a time limit.

Python's `re` has none and holds the interpreter meanwhile: sixty characters of `bash` would stop a host forever. The
`regex` module understands the same expressions, and gives up after a time. It takes longer for each match, so `re`
keeps the expressions that cannot take long: most of them.

It also takes about seventy bytes of memory for each character of an expression, and up to a tenth of a second to
compile one, while most code needs few of its language's. So they are compiled when they are needed.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import regex
from pygments.lexer import Lexer, RegexLexerMeta
from pygments.util import Future

ONE_MATCH = 0.05
"""Seconds of the processor for one match, which hardly takes a thousandth of it in what people write.

The module counts the time of the whole process. So matches keep the interpreter: else each would wait for it again at
its end, and the time of other threads that compute meanwhile would count.
"""
MOST_OPTIONAL = 4
"""Optional parts of an expression that cannot take long; each doubles what there is to try."""
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_VERBOSE = re.compile(r"\(\?[a-zA-Z-]*x")
_REPEAT = re.compile(r"[*+]|\{\d*,?\d*\}")


HEAVIEST = 96 * 1024 * 1024
"""Bytes of all compiled expressions together, about. Those of all languages have 60 MB. With less room, a page
with code in all languages would drop the expressions that other pages need."""
OF_EACH, OF_CHARACTER = 2000, 70
"""Bytes of a compiled expression, and of each of its characters, about."""


class TooSlow(Exception):
    """A match took too long."""


class Unprepared(Exception):
    """An expression is needed that is not compiled, and no time is left to do that."""


class CompilingTime(threading.local):
    """How many seconds of the processor this thread may still take to compile expressions, which is not interrupted."""

    left = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Allow so many seconds while the context is open; without one, any number."""
        self.left = seconds
        try:
            yield
        finally:
            self.left = math.inf


COMPILING = CompilingTime()


class CompiledPatterns:
    """Compiled expressions, up to a limit in bytes: the oldest is dropped first. Safe to use from many threads."""

    def __init__(self, heaviest: int = HEAVIEST) -> None:
        """Take the limit."""
        self._heaviest, self.weight = heaviest, 0
        self._kept: OrderedDict[tuple[str, int], regex.Pattern[str]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, int]) -> regex.Pattern[str]:
        """Return the expression of a source and flags; raises Unprepared."""
        return self._kept.get(key) or self._compiled(key)

    def _compiled(self, key: tuple[str, int]) -> regex.Pattern[str]:
        if COMPILING.left <= 0:
            raise Unprepared
        begun = time.thread_time()
        # Else the module would keep some hundreds, whatever they weigh.
        compiled: regex.Pattern[str] = regex.compile(*key, cache_pattern=False)
        COMPILING.left -= time.thread_time() - begun
        with self._lock:
            if key not in self._kept:
                self._kept[key] = compiled
                self.weight += _weight(key)
            while self.weight > self._heaviest:
                self.weight -= _weight(self._kept.popitem(last=False)[0])
        return compiled


def _weight(key: tuple[str, int]) -> int:
    return OF_EACH + OF_CHARACTER * len(key[0])


COMPILED = CompiledPatterns()


class TimedPattern:
    """An expression that gives up after `ONE_MATCH` seconds; raises TooSlow, and Unprepared."""

    def __init__(self, pattern: str, flags: int) -> None:
        """Take what `re.compile` takes."""
        with_unicode = regex.UNICODE if flags & re.ASCII == 0 else 0
        self._key = pattern, int(flags & ~(re.UNICODE | re.DEBUG) | with_unicode | regex.VERSION0)

    def match(self, text: str, start: int = 0, end: int | None = None) -> Any:
        """Match at a place, as a pattern of `re` does."""
        try:
            return COMPILED.get(self._key).match(text, start, end, concurrent=False, timeout=ONE_MATCH)
        except TimeoutError:
            raise TooSlow from None

    def search(self, text: str) -> Any:
        """Find the first match, as a pattern of `re` does."""
        try:
            return COMPILED.get(self._key).search(text, concurrent=False, timeout=ONE_MATCH)
        except TimeoutError:
            raise TooSlow from None

    def split(self, text: str) -> list[Any]:
        """Divide a text, as a pattern of `re` does."""
        try:
            return COMPILED.get(self._key).split(text, concurrent=False, timeout=ONE_MATCH)
        except TimeoutError:
            raise TooSlow from None


def is_linear(pattern: str, flags: int = 0) -> bool:
    """Return whether an expression takes at most as many steps as a text has characters, a few times over.

    It repeats one thing at most, which is one character or class, and has few optional parts: what is repeated within a
    repetition takes exponential time, and two repetitions after each other the square.
    """
    if flags & re.VERBOSE or _VERBOSE.search(pattern):  # whose white space separates things from their repetitions
        return False
    plain = _CLASS.sub("c", _ESCAPE.sub("e", pattern))
    repeats = list(_REPEAT.finditer(plain))
    if len(repeats) > 1 or plain.count("?") - plain.count("(?") > MOST_OPTIONAL:
        return False
    return not repeats or plain[: repeats[0].start()][-1:] not in (")", "")


def protect(lexer: Lexer) -> None:
    """Give the patterns that a lexer has as attributes, such as prompts, the same limit."""
    for name in dir(type(lexer)):
        pattern = getattr(type(lexer), name)
        if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
            setattr(lexer, name, TimedPattern(pattern.pattern, pattern.flags))


def _compiled(cls: type, pattern: Any, flags: int, state: str) -> Callable[..., Any]:
    source: Any = pattern
    if isinstance(pattern, Future):
        source = pattern.get()  # type: ignore[func-returns-value]
    return re.compile(source, flags).match if is_linear(source, flags) else TimedPattern(source, flags).match


# Lexers are prepared when the first of their kind is made, also those that others use: there is no other place in which
# all of them can be reached. Setting a name that the library no longer used would protect nothing, and say nothing.
if not hasattr(RegexLexerMeta, "_process_regex"):
    raise ImportError("this version of Pygments compiles the expressions of its lexers in another place")
RegexLexerMeta._process_regex = _compiled
