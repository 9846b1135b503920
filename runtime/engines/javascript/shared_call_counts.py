"""How many calls each serving process has in an isolate: numbers in memory that they share."""

from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path

SLOTS = 16
"""How many serving processes can have calls in one isolate; slot 0 belongs to the process that started it."""
_CELL = 8  # bytes, which are written at once: no reader sees half of a number
_LEAVING = 0  # index of the cell that is 1 once the isolate accepts no more calls
_SIZE = (1 + 2 * SLOTS) * _CELL


class SharedCallCounts:
    """The calls of one serving process in an isolate, beside those of others; safe to use from many threads.

    Each process writes only its own slot, so none waits for another, and one that is killed blocks nobody. A process
    that ends the isolate sets the leaving cell before it looks for calls; the others count their call before they read
    that cell. So at least one of the two sees the other. The lock between the two steps keeps the processor from
    reordering them.
    """

    def __init__(self, file: Path | None = None, slot: int = 0) -> None:
        """Take the shared file, made where it is missing; without one, only this process counts. Raises OSError."""
        if file is None:
            shared = mmap.mmap(-1, _SIZE)
        else:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                # Written, not left as a hole: who writes into a hole of a full disk is ended by the kernel.
                length = os.fstat(descriptor).st_size
                os.pwrite(descriptor, bytes(max(0, _SIZE - length)), length)
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
        """Count one more call of this process; False, and not counted, when the isolate accepts no more calls."""
        with self._lock:
            self._counts[self._own] += 1
        if not self._counts[_LEAVING]:
            return True
        self.leave()
        return False

    def leave(self) -> None:
        """Count one call of this process less."""
        with self._lock:
            self._counts[self._own] -= 1
            self.touch()

    def touch(self) -> None:
        """Note that this process has used the isolate just now."""
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
        """Stop sharing: the mapping holds a descriptor, and garbage may keep this object alive for long."""
        with self._lock:
            own = bytearray(self._counts.tobytes())
            self._counts, self._moments = memoryview(own).cast("q"), memoryview(own).cast("d")

    def forget(self, slot: int) -> None:
        """Reset the slot of a process that is gone: its calls no longer count."""
        self._counts[1 + 2 * slot] = 0
