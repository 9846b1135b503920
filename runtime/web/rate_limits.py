"""Rate limits for anonymous requests."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

MAX_KEYS = 1000


class RateLimit:
    """At most a given number per period for each key; unused allowance is not carried over."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._windows: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str, amount: int = 1) -> int:
        """Take up to `amount` of what is left for a key; returns how many there were."""
        return self._take(key, amount, whole=False)

    def take_all(self, key: str, amount: int) -> bool:
        """Take `amount` for a key, or nothing where less is left; returns whether it was there."""
        return self._take(key, amount, whole=True) == amount

    def give_back(self, key: str, amount: int) -> None:
        """Let what was taken for a key be taken again."""
        with self._lock:
            if key in self._windows:
                began, used = self._windows[key]
                self._windows[key] = (began, max(0, used - amount))

    def _take(self, key: str, amount: int, *, whole: bool) -> int:
        moment = time.monotonic()
        with self._lock:
            began, used = self._windows.pop(key, (moment, 0))
            if moment - began >= self._seconds:
                began, used = moment, 0
            left = self._most - used
            granted = 0 if whole and left < amount else min(amount, left)
            self._windows[key] = (began, used + granted)
            while len(self._windows) > MAX_KEYS:
                self._windows.popitem(last=False)
        return granted


class SharedLimit:
    """At most a given number per period for all who ask for the same thing; one alone gets at most half of it."""

    def __init__(self, most: int, seconds: float) -> None:
        self._all, self._each = RateLimit(most, seconds), RateLimit(most // 2, seconds)

    def take_all(self, key: str, who: str, amount: int = 1) -> bool:
        """Take `amount` for a key, or nothing where less is left for it, or for who asks."""
        own = f"{key} {who}"
        if not self._each.take_all(own, amount):
            return False
        if self._all.take_all(key, amount):
            return True
        self._each.give_back(own, amount)
        return False
