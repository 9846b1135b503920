"""Announcements about an integration to the pages that show it, within this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Full, Queue
from typing import Any

BACKLOG = 500


@dataclass(frozen=True, slots=True)
class Announcement:
    """`kind` is version, fault, event or reader; `data` is what the page needs to show it."""

    kind: str
    data: dict[str, Any]


class Announcer:
    """Passes announcements to all listeners of an integration; a listener that does not read misses some."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Queue[Announcement | None]]] = {}
        self._lock = threading.Lock()

    def heard(self, integration: str) -> bool:
        """Return whether there are listeners."""
        return integration in self._listeners

    def announce(self, integration: str, kind: str, data: dict[str, Any]) -> None:
        """Pass one announcement to all listeners of an integration."""
        with self._lock:
            queues = list(self._listeners.get(integration, ()))
        for queue in queues:
            try:
                queue.put_nowait(Announcement(kind, data))
            except Full:
                continue  # the page reads the list again when it reconnects

    @contextmanager
    def listen(self, integration: str) -> Iterator[Queue[Announcement | None]]:
        """Give a queue of announcements; None in it means that the host stops."""
        queue: Queue[Announcement | None] = Queue(BACKLOG)
        with self._lock:
            self._listeners.setdefault(integration, []).append(queue)
        try:
            yield queue
        finally:
            with self._lock:
                self._listeners[integration].remove(queue)
                if not self._listeners[integration]:
                    del self._listeners[integration]

    def close(self) -> None:
        """Stop all listeners."""
        with self._lock:
            for queue in [queue for queues in self._listeners.values() for queue in queues]:
                try:
                    queue.put_nowait(None)
                except Full:
                    continue  # its reader finds the connection closed instead
