"""How often each serving process of a host has advanced epochs: counters in memory that all of them share.

Epochs that a process has read are valid until a process advances one. That process increments its counter after the
commit and before it answers: a later request sees another number, and reads the epochs from the database. If a process
is killed between commit and increment, it has not answered anybody.
"""

from __future__ import annotations

import ctypes
import threading

Numbers = ctypes.Array[ctypes.c_longlong]
"""One for each serving process, in shared memory. A number is written atomically: nobody reads half of one."""


class ChangeCounts:
    """The counters of all processes, of which each process writes only its own; safe to use from many threads."""

    def __init__(self, numbers: Numbers, index: int) -> None:
        """Take the counters, and the index of this process, from 0.

        A process that replaces one that ended continues its counter.
        """
        self._numbers, self._index = numbers, index
        self._lock = threading.Lock()

    def count(self) -> None:
        """Record that this process has advanced epochs."""
        with self._lock:
            self._numbers[self._index] += 1

    def seen(self) -> bytes:
        """Return all counters as they are now, for comparison."""
        return bytes(self._numbers)
