"""Starting processes from threads of the host."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def on_any_processor() -> Iterator[None]:
    """Start a process from here as from the main thread: the host keeps threads that answer on one processor."""
    if sys.platform != "linux":
        yield
        return
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)
