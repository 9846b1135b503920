"""Ends of things that several threads may end, each of which ends once."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Once:
    """Does something for the first of several callers, and nothing for the others; for threads."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act
        self._taking = threading.Lock()

    def __call__(self) -> None:
        """Do it, unless somebody has begun to."""
        with self._taking:
            act, self._act = self._act, None
        if act is not None:
            act()
