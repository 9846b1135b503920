"""How often contents may be included while one page is read: each may include others, and they each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

MAX_DEPTH = 5
"""Contents inside each other."""
MAX_INCLUSIONS = 200
"""On one page, whatever comes of them: what includes something twice, which does the same, grows as a power."""
MAX_CHARACTERS = 4_000_000
"""Of what is written for all of them together."""


class Inclusions:
    """Counts what one page includes; nothing is included inside itself."""

    def __init__(self) -> None:
        """Begin a page."""
        self._inside: list[str] = []
        self._left = MAX_INCLUSIONS
        self._characters = MAX_CHARACTERS

    @contextmanager
    def of(self, content_id: str) -> Iterator[bool]:
        """Go into a content; gives False for one that may not be included here."""
        allowed = self._left > 0 and len(self._inside) < MAX_DEPTH and content_id not in self._inside
        if not allowed:
            yield False
            return
        self._left -= 1
        self._inside.append(content_id)
        try:
            yield True
        finally:
            self._inside.pop()

    def fits(self, written: str) -> str:
        """Return what was written for one, or nothing where it is too much with what came before."""
        self._characters -= len(written)
        return written if self._characters >= 0 else ""
