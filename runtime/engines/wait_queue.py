"""A line of threads that wait for something scarce: one is woken where it can go on, and the others sleep.

With a condition that wakes all of them, forty that wait for a worker take the interpreter one after the other, for
each worker that comes back, to find that it was not for them; everybody's requests wait meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

W = TypeVar("W")


class Waiter(Generic[W]):
    """A thread in the line, and what it waits for."""

    __slots__ = ("_handed", "again", "wants")

    def __init__(self, wants: W) -> None:
        """Describe what it waits for, in whatever way `WaitQueue.wake` is to decide on."""
        self.wants = wants
        self.again = False
        self._handed = threading.Lock()
        self._handed.acquire()

    def sleep(self, seconds: float) -> bool:
        """Wait until it is woken; False when it was not in time."""
        return self._handed.acquire(timeout=max(0.0, seconds))

    def rouse(self) -> None:
        """End its sleep, or the next one."""
        self._handed.release()


class WaitQueue(Generic[W]):
    """Who came first is woken first; every method is called with the lock held that was given at the start.

    Whoever was woken wakes the next (`wake`), whether it went on or not: what was freed may be enough for several.
    """

    def __init__(self, lock: threading.Lock) -> None:
        """Take the lock under which all that the threads wait for changes."""
        self._lock = lock
        self._line: OrderedDict[Waiter[W], None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._line)

    def wait(self, waiter: Waiter[W], deadline: float) -> bool:
        """Wait for a moment in which it may be possible to go on; False when none came before `deadline`.

        Who was woken and found that another thread was quicker calls this again, and is then the first in the line.
        """
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        self._line[waiter] = None
        if waiter.again:
            self._line.move_to_end(waiter, last=False)
        waiter.again = True
        self._lock.release()
        try:
            woken = waiter.sleep(left)
        finally:
            self._lock.acquire()
            given_up = self._line.pop(waiter, waiter) is None
        return woken or (not given_up and waiter.sleep(0))  # or it was woken at the last moment

    def wake(self, may: Callable[[W], bool]) -> None:
        """Wake the first who may go on, if there is one."""
        for waiter in self._line:
            if may(waiter.wants):
                del self._line[waiter]
                waiter.rouse()
                return

    def wake_all(self) -> None:
        """Wake all, since what they wait for will not come."""
        while self._line:
            self._line.popitem()[0].rouse()
