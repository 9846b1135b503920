"""Which serving processes have calls in an isolate: a few numbers that all of them see."""

from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path

SLOTS = 16
"""How many serving processes can have calls in one isolate; the first slot is that of its owner."""
_CELL = 8  # bytes; one is written at once, so that no reader sees half of a number
_LEAVING = 0  # the cell that says whether the owner takes no more calls
_SIZE = (1 + 2 * SLOTS) * _CELL


class Presence:
    """The calls of one serving process in an isolate, beside those of others; safe to use from many threads.

    Each process writes its own slot alone, so none waits for another, and one that is killed holds nothing. The owner
    says that it is leaving before it looks for calls; others count their call before they look whether it is leaving.
    So at least one of the two sees the other; taking the lock between is what orders the two for the processor.
    """

    def __init__(self, file: Path | None = None, slot: int = 0) -> None:
        """Take the file that all share, made where it is missing; without one nobody shares. Raises OSError."""
        if file is None:
            shared = mmap.mmap(-1, _SIZE)
        else:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.ftruncate(descriptor, _SIZE)
                shared = mmap.mmap(descriptor, _SIZE)
            finally:
                os.close(descriptor)
        self._counts = memoryview(shared).cast("q")
        self._moments = memoryview(shared).cast("d")  # of the clock that all processes of a machine share
        self._own = 1 + 2 * slot
        self._lock = threading.Lock()
        self._counts[self._own] = 0
        self.touch()

    def enter(self) -> bool:
        """Count one call more of this process; False, and not counted, when the isolate takes none any more."""
        with self._lock:
            self._counts[self._own] += 1
        if not self._counts[_LEAVING]:
            return True
        self.leave()
        return False

    def leave(self) -> None:
        """Count one call less of this process."""
        with self._lock:
            self._counts[self._own] -= 1
            self.touch()

    def touch(self) -> None:
        """Note that this process has just had something done."""
        self._moments[self._own + 1] = time.monotonic()

    def own(self) -> int:
        """Return how many calls this process has."""
        return self._counts[self._own]

    def others(self) -> int:
        """Return how many calls the other processes have."""
        return sum(self._counts[cell] for cell in range(1, 1 + 2 * SLOTS, 2) if cell != self._own)

    def idle_since(self) -> float:
        """Return when a call of this process ended last, by the monotonic clock."""
        return self._moments[self._own + 1]

    def all_idle_since(self) -> float:
        """Return when a call of any process ended last, by the monotonic clock."""
        return max(self._moments[cell] for cell in range(2, 2 + 2 * SLOTS, 2))

    def refuse_new_calls(self) -> None:
        """Let no process begin another call."""
        self._counts[_LEAVING] = 1
        with self._lock:
            pass

    def close(self) -> None:
        """Share no more: what is shared holds a descriptor, and whoever has the isolate may be garbage for long."""
        with self._lock:
            own = bytearray(self._counts.tobytes())
            self._counts, self._moments = memoryview(own).cast("q"), memoryview(own).cast("d")

    def forget(self, slot: int) -> None:
        """Count no calls of a process that is gone, whose slot this was."""
        self._counts[1 + 2 * slot] = 0
