"""Threads shared fairly: no organization's tasks wait behind another one's backlog."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable

from runtime.engines import time_slices

log = logging.getLogger(__name__)

Work = Callable[[], None]


class FairPool:
    """Runs tasks in a few threads, taking turns between organizations, and within each between its integrations.

    An organization may run as many tasks as there are free threads, so slow tasks leave threads for others, newcomers
    included. An integration may run as many as half of all threads, minus the tasks that its organization runs.
    """

    def __init__(self, threads: int, name: str) -> None:
        """Start the threads."""
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Work]]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._running_of: Counter[tuple[str, str]] = Counter()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, organization: str, integration: str, work: Work) -> None:
        """Queue a task, which must not raise; after `close` it is dropped."""
        with self._changed:
            if not self._closed:
                self._waiting.setdefault(organization, OrderedDict()).setdefault(integration, deque()).append(work)
                self._changed.notify()

    def close(self) -> None:
        """Drop waiting tasks, and wait for running ones."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        time_slices.answer_soon()
        while True:
            with self._changed:
                taken = self._take()
                while taken is None:
                    if self._closed:
                        return
                    self._changed.wait()
                    taken = self._take()
                if self._waiting:  # another thread may find a second task that may be run now
                    self._changed.notify()
            organization, integration, work = taken
            try:
                work()
            except Exception:  # the thread is shared, and must survive a failing task
                log.exception("a task of %s failed", threading.current_thread().name)
            finally:
                with self._changed:
                    self._running -= Counter((organization,))
                    self._running_of -= Counter(((organization, integration),))

    def _take(self) -> tuple[str, str, Work] | None:
        """Take the next task of the organization whose turn it is, which then goes to the end."""
        free = len(self._threads) - self._running.total()
        for organization, integrations in self._waiting.items():
            running = self._running[organization]
            if running >= free:
                continue
            for integration, pieces in integrations.items():
                own = self._running_of[organization, integration]
                if own and own >= len(self._threads) // 2 - running:
                    continue
                work = pieces.popleft()
                integrations.move_to_end(integration)
                if not pieces:
                    del integrations[integration]
                self._waiting.move_to_end(organization)
                if not integrations:
                    del self._waiting[organization]
                self._running[organization] += 1
                self._running_of[organization, integration] += 1
                return organization, integration, work
        return None
