"""Returns unused memory to the system.

The allocator keeps the memory of a large request for the next one, in an arena for each thread, so a host keeps the
maximum that each thread ever needed. glibc returns such memory to the system on request (`malloc_trim`).
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from runtime.engines.processes import resident
from runtime.engines.threads import RepeatingThread

log = logging.getLogger(__name__)

EVERY = 5.0
"""Seconds between two checks."""
GROWN = 8 << 20
"""Growth of a process, in bytes, since memory was last returned, after which it is returned again."""


class FreeMemory:
    """The thread that does this; does nothing if the allocator has no such call (macOS, musl)."""

    def __init__(self) -> None:
        self._trim = _trim()
        self._kept = 0
        self._thread = RepeatingThread("free memory", self._round, log=log, failed="free memory could not be returned")

    def start(self) -> None:
        """Begin."""
        if self._trim is not None:
            self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._thread.close()

    def give_back(self) -> bool:
        """Return free memory to the system if the process has grown; returns whether it had."""
        if self._trim is None or resident(os.getpid()) < self._kept + GROWN:
            return False
        self._trim(0)
        self._kept = resident(os.getpid())
        return True

    def _round(self) -> float:
        with suppress(OSError):  # no file descriptor is free: the next check may find one
            self.give_back()
        return EVERY


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
