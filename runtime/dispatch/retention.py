"""Keeps the event log from growing forever."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from sqlalchemy.orm import Session

from runtime.store import queue

SELDOM = 4_000
"""Events of one integration after which old ones are deleted again, at most."""


class Retention:
    """Counts finished events and their bytes, and deletes the oldest from time to time; for the one thread that writes.

    Events of earlier processes are checked when an integration is seen for the first time.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._every = min(SELDOM, max(1, keep // 2))
        self._since: dict[str, tuple[int, int]] = {}

    def ended(self, session: Session, events: Iterable[tuple[str, int]]) -> Callable[[], None]:
        """Delete what is too much with events that end, given by their integrations and sizes, in their transaction.

        Returns what counts them, to be called once the transaction is committed: what is rolled back is not counted.
        """
        since = dict[str, tuple[int, int]]()
        for integration_id, size in events:
            count, bytes_ = since.get(integration_id) or self._since.get(integration_id, (self._every, 0))
            since[integration_id] = count + 1, bytes_ + size
        for integration_id in sorted(since):
            count, bytes_ = since[integration_id]
            if count >= self._every or bytes_ >= queue.KEPT_BYTES:
                queue.prune(session, integration_id, self._keep)
                since[integration_id] = 0, 0
        return partial(self._since.update, since)
