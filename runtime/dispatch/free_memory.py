"""Gives memory that nothing uses any more back to the system.

What a large request took, the allocator keeps for the next one, in an arena of each thread, and a host whose threads
take turns holds the most that each of them ever needed. glibc gives such memory back when it is told to.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from runtime.engines.processes import resident

EVERY = 5.0
"""Seconds between two looks."""
GROWN = 8 << 20
"""Bytes that a process holds more than after it gave back the last time, until it does so again."""


class FreeMemory:
    """The thread that does so; nothing where the allocator has no such call (macOS, musl)."""

    def __init__(self) -> None:
        self._trim = _trim()
        self._kept = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="free memory", daemon=True)

    def start(self) -> None:
        """Begin."""
        if self._trim is not None:
            self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=10)

    def give_back(self) -> bool:
        """Give back what is free, where the process has grown; tells whether it had."""
        if self._trim is None or resident(os.getpid()) < self._kept + GROWN:
            return False
        self._trim(0)
        self._kept = resident(os.getpid())
        return True

    def _run(self) -> None:
        while not self._stopping.wait(EVERY):
            with suppress(OSError):  # no descriptor is free to look with: the next look finds one
                self.give_back()


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
