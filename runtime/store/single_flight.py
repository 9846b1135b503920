"""One thread at a time works on what many want: the others find it done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Flight:
    """The lock of who works on a key, and how many want it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: int = 0


class SingleFlight:
    """Turns by key; safe to use from many threads."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(
        self, key: Hashable, seconds: float, waiting: Callable[[], AbstractContextManager[object]]
    ) -> Iterator[None]:
        """Keep others who come for the same key waiting until this one is done, at most some seconds.

        Whoever waits enters `waiting` meanwhile; what entering it raises is raised.
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
