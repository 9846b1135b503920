"""Returns unused memory to the system.

The allocator keeps the memory of a large request for the next one, in an arena for each thread, so a host keeps the
maximum that each thread ever needed. glibc returns such memory to the system on request (`malloc_trim`).
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
"""Seconds between two checks."""
GROWN = 8 << 20
"""Growth of a process, in bytes, since memory was last returned, after which it is returned again."""


class FreeMemory:
    """The thread that does this; does nothing if the allocator has no such call (macOS, musl)."""

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
        """Return free memory to the system if the process has grown; returns whether it had."""
        if self._trim is None or resident(os.getpid()) < self._kept + GROWN:
            return False
        self._trim(0)
        self._kept = resident(os.getpid())
        return True

    def _run(self) -> None:
        while not self._stopping.wait(EVERY):
            with suppress(OSError):  # no file descriptor is free: the next check may find one
                self.give_back()


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
