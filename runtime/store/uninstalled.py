"""What was uninstalled long ago, and how it goes: with configuration, secret, external ids and events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.store import queue
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import (
    ExternalIdRow,
    InstallationRow,
    SiteInstallationRow,
    SpaceInstallationRow,
)

PARTS: tuple[tuple[Any, str], ...] = ((SpaceInstallationRow, "spaceId"), (SiteInstallationRow, "siteId"))
AT_ONCE = 500
LAST_WORDS = timedelta(minutes=1)
"""An event that tells of the end of an installation is written at most so much later."""


@dataclass(slots=True)
class Gone:
    """Ids of what is to go: whole installations, parts of others by table, and events that tell of such parts."""

    installations: list[str] = field(default_factory=list)
    parts: dict[Any, list[str]] = field(default_factory=dict)
    events: list[int] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return how many installations of any kind go."""
        return len(self.installations) + sum(len(ids) for ids in self.parts.values())


def find(session: Session, before: datetime, limit: int) -> Gone:
    """Find what was uninstalled before a moment, the oldest first, at most `limit` of each kind."""
    gone = Gone(_oldest(session, InstallationRow, before, limit))
    gone.parts = {table: _oldest(session, table, before, limit) for table, _ in PARTS}
    return _with_events(session, gone)


def find_on(session: Session, space_ids: Sequence[str]) -> Gone:
    """Find what was uninstalled from spaces that go for good."""
    on_them = SpaceInstallationRow.space_id.in_(space_ids), SpaceInstallationRow.deleted_at.is_not(None)
    gone = Gone(parts={SpaceInstallationRow: list(session.scalars(select(SpaceInstallationRow.id).where(*on_them)))})
    return _with_events(session, gone)


def _with_events(session: Session, gone: Gone) -> Gone:
    told: dict[str, dict[tuple[str, str], datetime]] = {}
    for table, place in PARTS:
        if not gone.parts.get(table):
            continue
        for part in session.scalars(select(table).where(table.id.in_(gone.parts[table]))):
            content_id = part.space_id if place == "spaceId" else part.site_id
            told.setdefault(part.installation_id, {})[place, content_id] = part.deleted_at + LAST_WORDS
    for installation_id, places in told.items():
        gone.events += _told_of(session, installation_id, places)
    return gone


def _oldest(session: Session, table: Any, before: datetime, limit: int) -> list[str]:
    query = select(table.id).where(table.deleted_at < before).order_by(table.deleted_at).limit(limit)
    return list(session.scalars(query))


def _told_of(session: Session, installation_id: str, places: dict[tuple[str, str], datetime]) -> list[int]:
    """Find an installation's events for places it has left; which place an event was for is sealed inside of it."""
    query = (
        select(EventRow.seq, EventRow.created_at, EventRow.payload)
        .where(EventRow.installation_id == installation_id, EventRow.created_at <= max(places.values()))
        .order_by(EventRow.seq)
        .limit(AT_ONCE)
    )
    found: list[int] = []
    after = 0
    while events := session.execute(query.where(EventRow.seq > after)).all():
        for seq, created, payload in events:
            event = json.loads(payload)
            ends = (places.get((place, str(event.get(place)))) for _, place in PARTS)
            if any(end is not None and created <= end for end in ends):
                found.append(seq)
        after = events[-1].seq
    return found


def remove(session: Session, gone: Gone) -> None:
    """Remove what was found; parts and visitors' sessions go with what they belong to."""
    for batch in batched(gone.events, AT_ONCE):
        queue.forget(session, EventRow.seq.in_(batch))
    if gone.installations:
        queue.forget(session, EventRow.installation_id.in_(gone.installations))
    for table, _ in PARTS:
        going = or_(table.id.in_(gone.parts.get(table, ())), table.installation_id.in_(gone.installations))
        _forget(session, table, list(session.scalars(select(table.id).where(going))))
    _forget(session, InstallationRow, gone.installations)


def _forget(session: Session, table: Any, ids: Sequence[str]) -> None:
    if ids:
        _delete(session, ExternalIdRow, ExternalIdRow.owner_id.in_(ids))
        _delete(session, table, table.id.in_(ids))


def _delete(session: Session, table: Any, condition: Any) -> None:
    session.execute(delete(table).where(condition).execution_options(synchronize_session=False))
