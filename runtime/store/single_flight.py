"""Single flight: one thread at a time does work that many need, and the others then find it done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Flight:
    """The lock of the thread that works on a key, and the number of threads that hold or want it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: int = 0


class SingleFlight:
    """Locks by key that exist only while they are wanted; safe to use from many threads."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(
        self, key: Hashable, seconds: float, waiting: Callable[[], AbstractContextManager[object]]
    ) -> Iterator[None]:
        """Hold the lock of a key, waiting for it at most `seconds`; after that, go on without it.

        While a thread waits, it is inside the context manager `waiting`, whose errors are passed on.
        """
        with self._lock:
            flight = self._flights.setdefault(key, _Flight())
            flight.wanted += 1
        taken = flight.lock.acquire(blocking=False)
        try:
            if not taken:
                with waiting():
                    taken = flight.lock.acquire(timeout=max(0.0, seconds))
            yield
        finally:
            if taken:
                flight.lock.release()
            with self._lock:
                flight.wanted -= 1
                if not flight.wanted:
                    del self._flights[key]
