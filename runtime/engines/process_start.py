"""Starting processes from threads of the host."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.engines import time_slices


@contextmanager
def on_any_processor() -> Iterator[None]:
    """Start a process as from the main thread: threads that answer share a processor and have short slices of time."""
    if sys.platform != "linux":
        yield
        return
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))
    try:
        with time_slices.as_usual():
            yield
    finally:
        os.sched_setaffinity(0, mine)
