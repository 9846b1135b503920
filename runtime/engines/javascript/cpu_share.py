"""How much processor time each of several calls in one process has used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class CpuShare:
    """Divides a process's processor time evenly among the calls in flight; safe to use from many threads.

    `enter`, `now` and `leave` return the seconds a call present all the time would have used: a call used the
    difference between two of them. Exact for a call that is alone, an even share for calls beside others.
    """

    def __init__(self, pid: int, others: Callable[[], int] = lambda: 0) -> None:
        """Take the process, which must run, and what counts the calls of other serving processes in it."""
        self._others = others
        # The clock id of another process, as MAKE_PROCESS_CPUCLOCK makes it in the kernel's headers.
        self._clock = (~pid << 3) | 2
        self._lock = threading.Lock()
        self._present = 0
        self._share = 0.0
        self._seen = self._read()

    def enter(self) -> float:
        """Count one call more."""
        with self._lock:
            self._advance()
            self._present += 1
            return self._share

    def now(self) -> float:
        """Return the share so far."""
        with self._lock:
            self._advance()
            return self._share

    def leave(self) -> float:
        """Count one call less."""
        with self._lock:
            self._advance()
            self._present -= 1
            return self._share

    def total(self) -> float:
        """Return what the process has used since it was started."""
        return self._read()

    def _advance(self) -> None:
        used = self._read()
        if self._present:
            self._share += (used - self._seen) / (self._present + self._others())
        self._seen = used

    def _read(self) -> float:
        try:
            return time.clock_gettime(self._clock)
        except OSError:  # it has ended
            return getattr(self, "_seen", 0.0)
