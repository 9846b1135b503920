"""Priorities on a busy machine: whatever answers soon goes before scripts that compute.

A script that has computed for a moment gives way at once to the host, to short calls and to everything else that wakes
up, and all such calls of an organization together weigh less than one process that does not. On a machine with
processors to spare nothing is slowed down.

Slices of time decide when somebody else may go on (`time_slices.py`), niceness how much each gets. Where the kernel
groups sessions by themselves (autogroup), niceness counts between the threads of one session only, and each session has
a niceness of its own; every worker leads a session, so that none waits for what another has used. Elsewhere that of the
threads counts. Inside control groups only their weights do (`cgroups.py`).
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter
from functools import cache

from runtime.engines import time_slices
from runtime.engines.sandbox import started_by_root

LONG_SECONDS = 0.03
"""Processor time of one call, in seconds, from which it counts as long-running."""
FIRST = 5
"""Niceness of an organization's only long-running call."""
STEP = 1.25
"""What one step of niceness makes of the weight (the kernel's `sched_prio_to_weight`)."""
NICEST = 19
KEPT_SECONDS = 2.0
"""How long a process keeps its priority after a long-running call: the next one is as long, as a rule."""


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
        """Return the niceness of each of them, so that together they weigh as much as one of niceness `FIRST`."""
        return min(NICEST, FIRST + round(math.log(max(1, self._calls.get(owner, 0)), STEP)))


class Priority:
    """The priority of one script's process; for one thread at a time."""

    def __init__(self, calls: LongCalls) -> None:
        """Take what counts the calls of all processes."""
        self._calls = calls
        self._owner: str | None = None  # whose long-running call is counted
        self._niceness = 0
        self._lowered_at: float | None = None

    def lower(self, pid: int, owner: str, *, for_good: bool = False) -> None:
        """Let others go first while a call computes; at every look, since the script may have begun more threads.

        `for_good` also sets a niceness where only root could take it back.
        """
        if self._owner is None:
            self._owner = owner
            self._calls.enter(owner)
        self._lowered_at = time.monotonic()
        time_slices.set_slice(pid, time_slices.LONG)
        if for_good or _may_raise():
            self._niceness = max(self._niceness, self._calls.niceness(owner))
            set_niceness(pid, self._niceness)

    def call_ended(self, pid: int) -> bool:
        """Count a call no longer; False if its process can never get its priority back.

        It gets it with a later call, so that one long-running call after the other begins where the last has ended.
        """
        self.forget()
        return not self._niceness or _may_raise() or self._restore(pid)

    def recover(self, pid: int) -> None:
        """Give a process its priority back if it has not computed lately."""
        if self._lowered_at is not None and time.monotonic() - self._lowered_at > KEPT_SECONDS:
            self._restore(pid)

    def forget(self) -> None:
        """Count a call no longer whose process has ended."""
        if self._owner is not None:
            self._calls.leave(self._owner)
            self._owner = None

    def _restore(self, pid: int) -> bool:
        self._lowered_at = None
        time_slices.set_slice(pid, time_slices.USUAL)
        lowered, self._niceness = self._niceness, 0
        return not lowered or set_niceness(pid, 0)


@cache
def _may_raise() -> bool:
    """Return whether this host may give a process a lower niceness again."""
    return started_by_root()


def set_niceness(pid: int, niceness: int) -> bool:
    """Return a script's process and its session a niceness; False where only root may give them a lower one."""
    try:
        with open(f"/proc/{pid}/autogroup", "wb", buffering=0) as file:  # noqa: PTH123 - many times a second
            file.write(b"%d" % niceness)
    except OSError:  # no such groups here, or one was set a moment ago: then the threads' has to do
        pass
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - only names are wanted
    except OSError:  # it has just ended
        return True
    for thread in threads:
        try:
            os.setpriority(os.PRIO_PROCESS, int(thread), niceness)
        except ProcessLookupError:  # a thread that has just ended
            continue
        except PermissionError:
            return False
    return True
