"""Colors a document's code within a time limit: readers of public pages trigger it, and the code is untrusted.

Most of the library's lexers take quadratic time for input that they were not designed for, some of their expressions
exponential time: one line of 50,000 characters without a line break takes a minute in `diff`, sixty characters a
lifetime in `bash`. So only lexers are used of which it is known what they run (`reviewed_lexers.py`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from hashlib import sha256
from typing import Any

from markupsafe import escape
from pygments import format
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer

from runtime.services.html import timed_patterns
from runtime.services.html.reviewed_lexers import languages, lexer_of
from runtime.services.html.timed_patterns import ONE_MATCH, TooSlow, Unprepared, protect

log = logging.getLogger(__name__)
LONGEST = 20_000
"""Characters of a code that is colored; longer code is shown plain."""
LONGEST_LINE = 1000
"""Characters of a line: a longer one was hardly written by a person, and takes most languages longest."""
SECONDS = 0.25
"""Of the processor, for all codes of a document; those that come then are shown plain."""
PREPARING = 1.0
"""Of the processor, for languages that are used for the first time in this process, and for expressions that are
compiled when they are needed: up to half a second for a language, and the last may begin just before they are over."""
MOST_REMEMBERED = 10_000
_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True, classprefix="hl-")


class Spent(Exception):
    """The time limit is reached."""


class Altered(Exception):
    """A lexer shows another text than it was given, as that of Terraform repeats lines of an unfinished one."""


class Uncolored:
    """Code that a lexer failed on or took too long for: one page that is read often would keep a host busy."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, text: str, syntax: str) -> None:
        """Remember a code."""
        with self._lock:
            self._known[self._name(text, syntax)] = None
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)

    def __contains__(self, code: tuple[str, str]) -> bool:
        return bool(self._known) and self._name(*code) in self._known

    @staticmethod
    def _name(text: str, syntax: str) -> bytes:
        return sha256(f"{syntax}\n{text}".encode("utf-8", "surrogatepass")).digest()


_UNCOLORED = Uncolored()
_PREPARED: set[str] = set()
"""The languages that were used, by the names that the library has for them."""


_MAKING = threading.Lock()
"""Held while a lexer is made: those with several tables (C#) build them anew each time, in the class."""


def _worked() -> float:
    """Return this thread's seconds of the processor, except for those in which it compiled expressions.

    Only differences of it mean something, and only within one `COMPILING.within`.
    """
    return time.thread_time() + timed_patterns.COMPILING.left


class Coloring:
    """Colors the code of one document, within its time limit."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Take the time limit for the whole document."""
        self._left, self._left_to_prepare = seconds, PREPARING
        self._lexers: dict[str, Lexer | None] = {}

    def html(self, text: str, syntax: str) -> str:
        """Write colored code; plain if its language is unknown or no time is left."""
        long = len(text) > LONGEST or max(map(len, text.split("\n"))) > LONGEST_LINE
        if not syntax or long or self._left <= 0 or (text, syntax) in _UNCOLORED:
            return str(escape(text))
        lexer = self._lexer(syntax.lower())
        if lexer is None:
            return str(escape(text))
        with timed_patterns.COMPILING.within(self._left_to_prepare):
            return self._colored_or_plain(text, syntax, lexer)

    def _colored_or_plain(self, text: str, syntax: str, lexer: Lexer) -> str:
        begun = _worked()
        try:
            return self._colored(text, lexer, begun + self._left)
        except (Spent, Unprepared):  # by other codes, maybe: in another document it may have its time
            return str(escape(text))
        except (Altered, RecursionError):  # of lexers with errors of their own
            _UNCOLORED.add(text, syntax)
            return str(escape(text))
        except TooSlow:
            # The limit counts the processor time of all threads: remember this code only if this thread took it.
            if _worked() - begun > ONE_MATCH / 2:
                _UNCOLORED.add(text, syntax)
            return str(escape(text))
        except Exception as error:  # a lexer is as good as its author, and a page is shown whatever is in its codes
            log.warning("code in %s could not be colored; it is shown plain", syntax, exc_info=True)
            if not isinstance(error, MemoryError):
                _UNCOLORED.add(text, syntax)
            return str(escape(text))
        finally:
            self._left -= _worked() - begun
            self._left_to_prepare = timed_patterns.COMPILING.left

    def _lexer(self, language: str) -> Lexer | None:
        """Return what reads a language; None where there is none, or it is new and no time is left to prepare it."""
        if language in self._lexers:
            return self._lexers[language]
        prepared = language in _PREPARED
        if not prepared and self._left_to_prepare <= 0:
            return None
        begun = time.thread_time()
        with _MAKING:
            lexer = lexer_of(language)
        if lexer is not None:
            protect(lexer)
            _PREPARED.add(language)
        took = time.thread_time() - begun
        if prepared:
            self._left -= took
        else:
            self._left_to_prepare -= took
        if language in languages():
            self._lexers[language] = lexer
        return lexer

    def _colored(self, text: str, lexer: Lexer, end: float) -> str:
        tokens: list[tuple[Any, str]] = []
        length = 0
        for token in lexer.get_tokens(text):
            tokens.append(token)
            length += len(token[1])
            if length > len(text):
                raise Altered
            if _worked() > end:
                raise Spent
        if "".join(value for _, value in tokens) != text.replace("\r\n", "\n").replace("\r", "\n"):
            raise Altered
        return format(tokens, _FORMATTER)
