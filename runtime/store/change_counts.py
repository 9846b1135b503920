"""How often each serving process of a host has moved epochs: numbers in memory that all of them share.

A process that knows epochs knows them as long as nobody moves one. Whoever does counts it after the commit and before
anybody is answered: a request that comes later finds another number, and asks the database. What a process has
committed and not counted, because it was killed in between, was answered to nobody.
"""

from __future__ import annotations

import mmap
import os
import threading
from pathlib import Path

from runtime.settings import MOST_WORKERS

FOLDER = "DEVKIT_CHANGES"
"""Environment variable with the folder of the numbers; the process that starts the others sets it."""
_CELL = 8  # bytes, which are written at once: no reader sees half of a number
_SIZE = MOST_WORKERS * _CELL


class ChangeCounts:
    """The numbers of all, of which each process writes its own alone; safe to use from many threads."""

    def __init__(self, file: Path, place: int) -> None:
        """Take the shared file, made where it is missing, and which process this is, from 0. Raises OSError.

        A process that takes the place of one that ended goes on with its number.
        """
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.ftruncate(descriptor, _SIZE)
            self._shared = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)
        self._numbers = memoryview(self._shared).cast("q")
        self._place = place
        self._lock = threading.Lock()

    def count(self) -> None:
        """Note that this process has moved epochs."""
        with self._lock:
            self._numbers[self._place] += 1

    def seen(self) -> bytes:
        """Give all numbers as they are now, for comparison."""
        return self._shared[:]


def shared_counts(place: int) -> ChangeCounts | None:
    """Open the numbers of this host for the serving process of this place; None where no other one serves."""
    folder = os.environ.get(FOLDER)
    return ChangeCounts(Path(folder, "numbers"), place) if folder else None
