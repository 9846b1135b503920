"""Keeps the event log from growing for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlalchemy.orm import Session

from runtime.store import queue

EVERY = 4_000
"""Events of one integration between two looks at what may be forgotten."""


class Retention:
    """Counts what ends, and forgets the oldest once in a while; for the one thread that writes."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._since: Counter[str] = Counter()

    def ended(self, session: Session, integration_ids: Iterable[str]) -> None:
        """Note that events of these integrations ended, in the transaction that writes it down."""
        self._since.update(integration_ids)
        for integration_id, count in list(self._since.items()):
            if count >= EVERY:
                del self._since[integration_id]
                queue.prune(session, integration_id, self._keep)
