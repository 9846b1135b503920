"""Slugs: what a page is called in an address."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 100


def slug_of(text: str) -> str:
    """Write a title as a slug; `page` where nothing of it is left."""
    return re.sub(r"[^\w.-]+", "-", text.lower()).strip("-.")[:LONGEST] or "page"


class Slugs:
    """The slugs of pages beside each other, each once; time is linear in their number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, slug: str) -> str:
        """Take a slug, with the next free number where it is taken."""
        candidate, number = slug, self._next.get(slug, 2)
        while candidate in self._taken:
            candidate, number = f"{slug}-{number}", number + 1
        self._next[slug] = number
        self._taken.add(candidate)
        return candidate

    def release(self, slug: str) -> None:
        """Let another have a slug; numbers that were given are not given again."""
        self._taken.discard(slug)

    def __contains__(self, slug: str) -> bool:
        return slug in self._taken
