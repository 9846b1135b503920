"""Room for tasks and events by hand that wait: of one integration, and of all integrations of an organization."""

from __future__ import annotations

import threading
import time

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.units import bytes_text
from runtime.store import queue
from runtime.store.tables.integrations import IntegrationRow

MAX_OF_ORGANIZATION = 1 << 30
"""Bytes that may wait for all integrations of an organization."""
FEW, SMALL = 500, 1 << 20
"""Events of an integration that wait, and bytes of them, up to which nothing is added up for its organization."""
REMEMBERED = 10.0
"""Seconds for which a sum is used again: what waits may be hundreds of thousands of rows."""
MOST = 1000
"""Organizations whose sums are remembered; then all are forgotten."""
FULL = (
    f"At most {queue.MAX_WAITING:,} events and tasks of an integration can wait, and at most "
    f"{bytes_text(queue.MAX_WAITING_BYTES)} of them; send more later."
)
FULL_FOR_ALL = (
    f"At most {bytes_text(MAX_OF_ORGANIZATION)} of events and tasks can wait for all integrations of an organization; "
    "send more later."
)

_sums: dict[str, tuple[float, int]] = {}
_lock = threading.Lock()


def enforce(session: Session, integration: IntegrationRow, more: int, size: int) -> None:
    """See that so many more events, of `size` bytes together, may wait for an integration; raises TooManyRequests.

    What other processes let in within `REMEMBERED` seconds is not seen.
    """
    waiting, there = queue.standing(session, integration.id)
    if waiting + more > queue.MAX_WAITING or there + size > queue.MAX_WAITING_BYTES:
        raise errors.TooManyRequests(FULL)
    if waiting + more <= FEW and there + size <= SMALL:
        return
    found_at, total = _waiting_for(session, integration.organization_id)
    if total + size > MAX_OF_ORGANIZATION:
        raise errors.TooManyRequests(FULL_FOR_ALL)
    _remember(integration.organization_id, found_at, total + size + more * queue.ROW)


def _waiting_for(session: Session, organization_id: str) -> tuple[float, int]:
    """Return what waits for all integrations of an organization, in bytes, and when that was added up."""
    moment = time.monotonic()
    with _lock:
        known = _sums.get(organization_id)
    if known is not None and moment - known[0] < REMEMBERED:
        return known
    return moment, queue.standing_of_organization(session, organization_id)


def _remember(organization_id: str, found_at: float, total: int) -> None:
    with _lock:
        if len(_sums) >= MOST and organization_id not in _sums:
            _sums.clear()
        _sums[organization_id] = found_at, total
