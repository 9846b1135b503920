"""How often each serving process of a host has moved epochs: numbers in memory that all of them share.

A process that knows epochs knows them as long as nobody moves one. Whoever does counts it after the commit and before
anybody is answered: a request that comes later finds another number, and asks the database. What a process has
committed and not counted, because it was killed in between, was answered to nobody.
"""

from __future__ import annotations

import ctypes
import threading

Numbers = ctypes.Array[ctypes.c_longlong]
"""One for each serving process, in memory that they share. A number is written at once: nobody reads half of one."""


class ChangeCounts:
    """The numbers of all, of which each process writes its own alone; safe to use from many threads."""

    def __init__(self, numbers: Numbers, place: int) -> None:
        """Take the numbers, and which process this is, from 0.

        A process that takes the place of one that ended goes on with its number.
        """
        self._numbers, self._place = numbers, place
        self._lock = threading.Lock()

    def count(self) -> None:
        """Note that this process has moved epochs."""
        with self._lock:
            self._numbers[self._place] += 1

    def seen(self) -> bytes:
        """Give all numbers as they are now, for comparison."""
        return bytes(self._numbers)
