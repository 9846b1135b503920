"""Keeps the threads that answer requests on one processor.

Python runs one thread of a process at a time, however many processors there are. On several processors,
threads that wait for scripts wake each other across processors at every system call: with two, a third of the warm
renders per second is lost.
Scripts run in processes of their own and use the other processors.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from runtime.engines import time_slices


class OneProcessor:
    """Chooses a processor at the first request; does nothing on systems without CPU affinity (macOS)."""

    def __init__(self, index: int = 0, among: int = 1) -> None:
        """Take the index and number of serving processes: two of them must not choose the same processor."""
        self._index, self._among = index, among
        self._chosen: set[int] = set()
        self._choosing = threading.Lock()
        self._settled = threading.local()

    def settle(self) -> None:
        """Move the calling thread there, once; the main thread stays free, so that processes it starts are too."""
        if hasattr(self._settled, "done"):
            return
        self._settled.done = True
        if sys.platform != "linux" or threading.get_ident() == threading.main_thread().ident:
            return
        time_slices.answer_soon()
        with self._choosing:
            self._chosen = self._chosen or self._choice(sorted(os.sched_getaffinity(0)))
        try:
            os.sched_setaffinity(0, self._chosen)
        except OSError:  # no longer available to this machine or container: any other will do
            self._chosen = set()

    def _choice(self, allowed: list[int]) -> set[int]:
        """Choose a processor, or keep all if there are more serving processes than processors."""
        if self._among == 1:
            return {_current()}
        return {allowed[self._index]} if self._among <= len(allowed) else set(allowed)


def _current() -> int:
    """Return the processor the calling thread is on: the scheduler has put it on a good one."""
    fields = Path("/proc/thread-self/stat").read_text().rpartition(")")[2].split()
    return int(fields[36])
