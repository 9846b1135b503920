"""Colors a document's code within a time limit: readers of public pages trigger it, and the code is untrusted.

Most of the library's lexers take quadratic time for input that they were not designed for: one line
of 50,000 characters without a line break takes a minute in `diff`.
"""

from __future__ import annotations

import time
from typing import Any

from markupsafe import escape
from pygments import format
from pygments.formatters import HtmlFormatter
from pygments.lexer import DelegatingLexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LONGEST = 20_000
"""Characters of a code that is colored; longer code is shown plain."""
LONGEST_LINE = 1000
"""Characters of a line: a longer one was hardly written by a person, and takes most languages longest."""
SECONDS = 0.25
"""Of the processor, for all codes of a document; those that come then are shown plain."""
_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True, classprefix="hl-")


class Spent(Exception):
    """The time limit is reached."""


class Coloring:
    """Colors the code of one document, within its time limit."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Take the time limit for the whole document."""
        self._left = seconds

    def html(self, text: str, syntax: str) -> str:
        """Write colored code; plain if its language is unknown or no time is left."""
        long = len(text) > LONGEST or max(map(len, text.split("\n"))) > LONGEST_LINE
        if not syntax or long or self._left <= 0:
            return str(escape(text))
        begun = time.thread_time()
        try:
            return self._colored(text, syntax, begun + self._left)
        except (ClassNotFound, Spent):
            return str(escape(text))
        finally:
            self._left -= time.thread_time() - begun

    def _colored(self, text: str, syntax: str, end: float) -> str:
        lexer = get_lexer_by_name(syntax, stripnl=False, ensurenl=False)
        if isinstance(lexer, DelegatingLexer):  # two languages in one: it gives nothing before all is read
            raise Spent
        tokens: list[tuple[Any, str]] = []
        for token in lexer.get_tokens(text):
            tokens.append(token)
            if time.thread_time() > end:
                raise Spent
        return format(tokens, _FORMATTER)
