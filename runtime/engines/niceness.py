"""Priorities on a busy machine: short calls come before an organization's many long-running calls.

All long-running calls of an organization together have the weight of one process. A single one is not slowed down.

Where the kernel groups sessions by themselves (autogroup), niceness counts between the threads of one session only, and
each session has a niceness of its own. Elsewhere, and inside a control group, that of the threads counts. Both are set;
every worker leads a session, so that none waits for what another has used.
"""

from __future__ import annotations

import math
import os
import threading
from collections import Counter

LONG_SECONDS = 0.2
"""Processor time of one call, in seconds, from which it counts as long-running."""
STEP = 1.25
"""What one step of niceness makes of the weight (the kernel's `sched_prio_to_weight`)."""
NICEST = 19


class LongCalls:
    """Counts each organization's long-running calls; safe to use from many threads."""

    def __init__(self) -> None:
        """Start with no calls."""
        self._calls: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, owner: str) -> None:
        """Count one call more."""
        with self._lock:
            self._calls[owner] += 1

    def leave(self, owner: str) -> None:
        """Count one call less."""
        with self._lock:
            self._calls[owner] -= 1
            if not self._calls[owner]:
                del self._calls[owner]

    def niceness(self, owner: str) -> int:
        """Return the niceness of each of them, so that together they weigh as much as one of niceness 0."""
        return min(NICEST, round(math.log(max(1, self._calls.get(owner, 0)), STEP)))


def set_niceness(pid: int, niceness: int) -> bool:
    """Return a script's process and its session a niceness; False where only root may give them a lower one."""
    try:
        with open(f"/proc/{pid}/autogroup", "wb", buffering=0) as file:  # noqa: PTH123 - many times a second
            file.write(b"%d" % niceness)
    except OSError:  # no such groups here, or one was set a moment ago: then the threads' has to do
        pass
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - only names are wanted
            os.setpriority(os.PRIO_PROCESS, int(thread), niceness)
    except PermissionError:
        return False
    except OSError:  # it, or a thread of it, has just ended
        return True
    return True
