"""Something scarce, divided among organizations so that none can hold what all need."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

from runtime.engines.once import Once
from runtime.engines.wait_queue import Waiter, WaitQueue

Key = TypeVar("Key", str, tuple[str, str])
Thing = TypeVar("Thing")


class NoneLeft(Exception):
    """An owner holds all that it may for now."""


def eviction_order(idle: Iterable[Thing], owner: Callable[[Thing], str], newcomer: str | None = None) -> list[Thing]:
    """Order idle things by which should be evicted first; `idle` begins with the thing used longest ago.

    Owners who keep most lose theirs first: nobody's last thing is evicted while somebody has two, and so on; among
    equals the thing used longest ago goes first. `newcomer` is the owner for whom room is made, counted with one more.
    """
    kept = {newcomer: 1}
    places = []
    for age, thing in enumerate(reversed(list(idle))):
        whose = owner(thing)
        kept[whose] = kept.get(whose, 0) + 1
        places.append((kept[whose], age, thing))
    return [thing for _, _, thing in sorted(places, key=lambda place: place[:2], reverse=True)]


class Shares:
    """Places that owners share: the fewer are free, the fewer may one owner hold. Safe to use from many threads.

    An eighth is in reserve for owners that hold none (nothing, of fewer than eight places). Of the rest a single owner
    gets half, two get a third each, and so on. `part` names something within an owner, such as one integration of an
    organization: it may hold half of all places, minus those that its owner holds already. The rule is that of dynamic
    thresholds for shared buffers (Choudhury and Hahne, 1998); without the reserve a few owners, each of which takes
    half of what is left, would leave nothing.
    """

    def __init__(self, total: int) -> None:
        """Take how many places there are."""
        self._total = self._free = total
        self._reserve = total // 8
        self._held: dict[str, int] = {}
        self._held_by_part: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def enter(self, owner: str, part: str = "") -> bool:
        """Take a place; False when the owner, or this part of it, holds as many as it may."""
        with self._lock:
            if not self._may(owner, part):
                return False
            self._free -= 1
            self._held[owner] = self._held.get(owner, 0) + 1
            if part:
                self._held_by_part[owner, part] = self._held_by_part.get((owner, part), 0) + 1
            return True

    def leave(self, owner: str, part: str = "") -> None:
        """Give a place back."""
        with self._lock:
            _less(self._held, owner)
            self._free += 1
            if part:
                _less(self._held_by_part, (owner, part))

    def open_to(self, owner: str, part: str = "") -> bool:
        """Return whether a place could be taken now."""
        with self._lock:
            return self._may(owner, part)

    def held(self, owner: str, part: str = "") -> tuple[int, int]:
        """Return how many places an owner holds now, and how many of them this part."""
        with self._lock:
            return self._held.get(owner, 0), self._held_by_part.get((owner, part), 0)

    @contextmanager
    def place(self, owner: str, part: str = "") -> Iterator[None]:
        """Hold a place for a while; raises `NoneLeft`."""
        if not self.enter(owner, part):
            raise NoneLeft
        try:
            yield
        finally:
            self.leave(owner, part)

    def held_by(self, owner: str, part: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
        """Release the owner's slot once all pieces were sent, or given up."""
        return _Held(pieces, lambda: self.leave(owner, part))

    def _may(self, owner: str, part: str) -> bool:
        count = self._held.get(owner, 0)
        if count >= (self._free - self._reserve if count else self._free):
            return False
        own = self._held_by_part.get((owner, part), 0) if part else 0
        return own == 0 or own < (self._total - self._reserve) // 2 - count


class WaitingShares:
    """Places as `Shares` has them, for which an owner's threads wait; safe to use from many threads.

    A thread waits only behind others of the same owner and part, and is woken when there is a place for it.
    """

    def __init__(self, total: int, seconds: float) -> None:
        """Take how many places there are, and for how long a thread waits for one."""
        self._shares, self._seconds = Shares(total), seconds
        self._lines: dict[tuple[str, str], deque[threading.Lock]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def place(
        self,
        owner: str,
        part: str = "",
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
        seconds: float | None = None,
    ) -> Iterator[None]:
        """Hold a place for a while; raises `NoneLeft` if no place became free in time.

        `waiting` is entered while this thread waits; `seconds` limits its wait, in place of what limits everybody's.
        """
        handed = self._enter((owner, part))
        if handed is not None:
            with waiting():
                came = handed.acquire(timeout=self._seconds if seconds is None else seconds)
            if not came:
                self._give_up((owner, part), handed)
        try:
            yield
        finally:
            with self._lock:
                self._shares.leave(owner, part)
                self._hand_on()

    def _enter(self, whose: tuple[str, str]) -> threading.Lock | None:
        """Take a place, or give what is released once there is one."""
        with self._lock:
            if whose not in self._lines and self._shares.enter(*whose):
                return None
            handed = threading.Lock()
            handed.acquire()
            self._lines.setdefault(whose, deque()).append(handed)
            return handed

    def _give_up(self, whose: tuple[str, str], handed: threading.Lock) -> None:
        with self._lock:
            if handed not in self._lines.get(whose, ()):  # the place came at the last moment
                return
            self._lines[whose].remove(handed)
            if not self._lines[whose]:
                del self._lines[whose]
        raise NoneLeft

    def _hand_on(self) -> None:
        """Give places to those who wait and may have one; of several owners to who holds least of them."""
        while may := [whose for whose in self._lines if self._shares.open_to(*whose)]:
            whose = min(may, key=lambda one: self._shares.held(*one))
            self._shares.enter(*whose)
            self._lines[whose].popleft().release()
            if not self._lines[whose]:
                del self._lines[whose]


class Turns:
    """A few turns at a time for each owner, and a short queue before them; safe to use from many threads."""

    def __init__(self, at_once: int, waiting: int, seconds: float) -> None:
        """Take how many an owner has at once, how many more of its threads wait, and for how long each."""
        self._at_once, self._waiting, self._seconds = at_once, waiting, seconds
        self._held: dict[str, int] = {}
        self._queued: dict[str, int] = {}
        self._lock = threading.Lock()
        self._line = WaitQueue[str](self._lock)

    @contextmanager
    def turn(self, owner: str) -> Iterator[None]:
        """Hold a turn for a while; raises `NoneLeft` where too many wait, or none came in time."""
        self._enter(owner)
        try:
            yield
        finally:
            with self._lock:
                _less(self._held, owner)
                self._line.wake(self._free)

    def _enter(self, owner: str) -> None:
        with self._lock:
            if not self._free(owner):
                if self._queued.get(owner, 0) >= self._waiting:
                    raise NoneLeft
                self._queued[owner] = self._queued.get(owner, 0) + 1
                try:
                    self._wait(owner)
                except NoneLeft:
                    self._line.wake(self._free)
                    raise
                finally:
                    _less(self._queued, owner)
            self._held[owner] = self._held.get(owner, 0) + 1

    def _wait(self, owner: str) -> None:
        waiter, deadline = Waiter(owner), time.monotonic() + self._seconds
        while not self._free(owner):
            if not self._line.wait(waiter, deadline):
                raise NoneLeft

    def _free(self, owner: str) -> bool:
        return self._held.get(owner, 0) < self._at_once


def _less(counts: dict[Key, int], key: Key) -> None:
    """Count one less; who holds nothing is forgotten."""
    if counts[key] == 1:
        del counts[key]
    else:
        counts[key] -= 1


class _Held:
    """Pieces whose reader holds a place; also one who goes away before the first of them."""

    def __init__(self, pieces: Iterable[bytes], leave: Callable[[], None]) -> None:
        self._pieces, self._leave = pieces, Once(leave)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        finally:
            self._leave()

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self._leave()

    def __del__(self) -> None:
        self._leave()
