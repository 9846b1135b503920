"""How much work bytes may make that are read from scripts and strange servers.

What is read as HTTP is counted by its lines (`whole_pieces.py`); this is for the rest.
"""

from __future__ import annotations

import time

ALWAYS, A_SECOND = 2.0, 10 << 20
"""Seconds of processor time that reading may take whatever comes, and bytes for which it may take one more."""


class TooMuchWork(Exception):
    """What is read takes more processor time than its bytes are worth."""


class Effort:
    """Counts the processor time of the thread that reads.

    Packets of a byte each stay within every limit of bytes, and would keep the interpreter busy, which all threads
    share, until the time for the exchange is over.
    """

    def __init__(self) -> None:
        """Begin to count."""
        self._began = time.thread_time()
        self._bytes = 0

    def took(self, size: int) -> None:
        """Say that so many bytes more were read; raises `TooMuchWork`."""
        self._bytes += size
        if time.thread_time() - self._began > ALWAYS + self._bytes / A_SECOND:
            raise TooMuchWork
