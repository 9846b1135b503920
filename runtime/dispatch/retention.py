"""Keeps the event log from growing for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlalchemy.orm import Session

from runtime.store import queue

SELDOM = 4_000
"""The most events of one integration between two looks at what may be forgotten."""


class Retention:
    """Counts what ends, and forgets the oldest once in a while; for the one thread that writes.

    What earlier processes left is looked at when an integration is met for the first time.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._every = min(SELDOM, max(1, keep // 2))
        self._since: dict[str, int] = {}

    def ended(self, session: Session, integration_ids: Iterable[str]) -> None:
        """Note that events of these integrations ended, in the transaction that writes it down."""
        for integration_id, count in Counter(integration_ids).items():
            since = self._since.get(integration_id, self._every) + count
            if since >= self._every:
                queue.prune(session, integration_id, self._keep)
                since = 0
            self._since[integration_id] = since
