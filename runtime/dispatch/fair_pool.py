"""Threads shared fairly: nobody's work waits behind somebody else's pile."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable

Work = Callable[[], None]


class FairPool:
    """Runs work in a few threads, taking turns between owners.

    An owner never has more than `most` pieces running, so that one whose work is slow leaves threads for the others.
    """

    def __init__(self, threads: int, most: int, name: str) -> None:
        self._most = most
        self._waiting: OrderedDict[str, deque[Work]] = OrderedDict()
        self._running: dict[str, int] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, owner: str, work: Work) -> None:
        """Queue a piece of work, which must not raise; after `close` it is dropped."""
        with self._changed:
            if not self._closed:
                self._waiting.setdefault(owner, deque()).append(work)
                self._changed.notify()

    def close(self) -> None:
        """Drop what waits, and wait for what runs."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                taken = self._take()
                while taken is None:
                    if self._closed:
                        return
                    self._changed.wait()
                    taken = self._take()
            owner, work = taken
            try:
                work()
            finally:
                with self._changed:
                    self._running[owner] -= 1
                    if not self._running[owner]:
                        del self._running[owner]
                    self._changed.notify()

    def _take(self) -> tuple[str, Work] | None:
        """Take the next piece of the owner whose turn it is, who then stands last."""
        for owner, pieces in self._waiting.items():
            if self._running.get(owner, 0) < self._most:
                work = pieces.popleft()
                if pieces:
                    self._waiting.move_to_end(owner)
                else:
                    del self._waiting[owner]
                self._running[owner] = self._running.get(owner, 0) + 1
                return owner, work
        return None
