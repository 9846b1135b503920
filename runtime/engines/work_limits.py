"""Limits on the work caused by bytes from scripts and unknown servers.

HTTP is limited by its lines (`buffered_responses.py`); this is for everything else.
"""

from __future__ import annotations

import time

ALWAYS, A_SECOND = 2.0, 10 << 20
"""Seconds of processor time that reading may always take, and the bytes for which it may take one more."""


class TooMuchWork(Exception):
    """Reading took too much processor time for the number of bytes."""


class WorkLimit:
    """Limits the processor time that a thread takes to read.

    Packets of one byte stay within every limit of bytes, but would keep the interpreter, which all threads share, busy
    until the exchange times out.
    """

    def __init__(self) -> None:
        """Start measuring."""
        self._began = time.thread_time()
        self._bytes = 0

    def took(self, size: int) -> None:
        """Add a number of bytes that were read; raises `TooMuchWork`."""
        self._bytes += size
        if time.thread_time() - self._began > ALWAYS + self._bytes / A_SECOND:
            raise TooMuchWork
