"""How much of a host's lists a command reads in all, so that a list without an end has one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

MOST_ITEMS = 200_000
MOST_BYTES = 256 * 1024 * 1024
LONGEST = 900.0
"""Seconds."""


@dataclass
class Budget:
    """What one list may have, or all lists together that one command reads."""

    items: int = field(default_factory=lambda: MOST_ITEMS)
    bytes: int = field(default_factory=lambda: MOST_BYTES)
    seconds: float = field(default_factory=lambda: LONGEST)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds
        self._items_left, self._bytes_left = self.items, self.bytes

    def spend(self, size: int, items: int = 1) -> str:
        """Count what has arrived; gives what it was too much of, and "" while there is enough left."""
        self._items_left -= items
        self._bytes_left -= size
        if self._items_left < 0:
            return f"more than {self.items:,} items"
        if self._bytes_left < 0:
            return f"more than {self.bytes // 1024 // 1024:,} MB"
        return f"for more than {self.seconds / 60:,.0f} minutes" if time.monotonic() > self._end else ""
