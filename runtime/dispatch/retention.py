"""Keeps the event log from growing forever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlalchemy.orm import Session

from runtime.store import queue

SELDOM = 4_000
"""Events of one integration after which old ones are deleted again, at most."""


class Retention:
    """Counts finished events, and deletes the oldest from time to time; for the one thread that writes.

    Events of earlier processes are checked when an integration is seen for the first time.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._every = min(SELDOM, max(1, keep // 2))
        self._since: dict[str, int] = {}

    def ended(self, session: Session, integration_ids: Iterable[str]) -> None:
        """Record that events of these integrations ended, in the transaction that stores their results."""
        for integration_id, count in Counter(integration_ids).items():
            since = self._since.get(integration_id, self._every) + count
            if since >= self._every:
                queue.prune(session, integration_id, self._keep)
                since = 0
            self._since[integration_id] = since
