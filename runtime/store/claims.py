"""Events that are due: finding them, and claiming them for a process that delivers them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Float, Integer, Select, String, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from runtime.store.locks import others_write
from runtime.store.queue import WAITING
from runtime.store.tables.events import UNFINISHED, EventRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow

CLAIMING = 7_401_883_121
"""The lock of PostgreSQL that who takes events holds; `migrate.LOCK` is the other one."""


class Claimed(NamedTuple):
    """An event as it is delivered: the columns of its row that do not change until it has ended."""

    seq: int
    id: str
    integration_id: str
    installation_id: str | None
    lane: str
    type: str
    payload: str
    attempts: int
    held: float | None
    created_at: datetime


def owners(session: Session, events: Sequence[Claimed]) -> dict[str, str]:
    """Return the organization of each installation these events are for, of the integration where they are for none."""
    installed = {event.installation_id for event in events if event.installation_id is not None}
    alone = {event.integration_id for event in events if event.installation_id is None}
    owners_by_lane: dict[str, str] = {}
    if installed:
        query = select(InstallationRow.id, InstallationRow.organization_id).where(InstallationRow.id.in_(installed))
        owners_by_lane |= dict(session.execute(query).all())
    if alone:
        query = select(IntegrationRow.id, IntegrationRow.organization_id).where(IntegrationRow.id.in_(alone))
        owners_by_lane |= dict(session.execute(query).all())
    return owners_by_lane


def ready(session: Session, owner: str, *, without: Sequence[str] = (), without_owners: Sequence[str] = ()) -> bool:
    """Return whether `claim` would find anything, without locking for it."""
    return next(_ready(session, owner, time.time(), 1, without, without_owners), None) is not None


def claim(
    session: Session,
    owner: str,
    *,
    limit: int,
    lease: float,
    without: Sequence[str] = (),
    without_owners: Sequence[str] = (),
) -> list[Claimed]:
    """Claim due events for this process, oldest first, and those whose lease has expired.

    None of the integrations `without`, and none of the organizations `without_owners`. Nothing is taken from a lane
    that has an event in flight or one that is to be tried again: events of one installation keep their order, but for
    those that are held back, which others pass.
    """
    if others_write(session):
        # One process takes at a time. Which lanes are in flight is read from rows, and what another transaction has
        # just taken there shows only when it has ended; so the lock is held until then, and the rows read after it.
        session.execute(select(func.pg_advisory_xact_lock(CLAIMING)))
    moment = time.time()
    places = list(_ready(session, owner, moment, limit, without, without_owners))
    if places and others_write(session):
        places = _unlocked(session, owner, moment, places)
    if not places:
        return []
    values = {"places": places, "owner": owner, "until": moment + lease}
    return sorted(Claimed(*row) for row in session.connection().execute(_claiming(), values))


@lru_cache(maxsize=1)
def _claiming() -> ReturningUpdate[Any]:
    """Write the statement once, as `_finding_ready` does, and for plain rows: an object for each took longer."""
    events = EventRow.__table__
    return (
        update(events)  # type: ignore[arg-type]
        .where(events.c.seq.in_(bindparam("places", expanding=True)))
        .values(state="claimed", lease_owner=bindparam("owner"), lease_until=bindparam("until"))
        .values(attempts=events.c.attempts + 1)
        .returning(*(events.c[name] for name in Claimed._fields))
    )


def _ready(
    session: Session, owner: str, moment: float, limit: int, without: Sequence[str], without_owners: Sequence[str]
) -> Iterator[int]:
    """Find what may be taken at a moment, in order."""
    values = {"owner": owner, "moment": moment, "most": limit}
    statement = _finding_ready(bool(without), bool(without_owners))
    if without:
        values["without"] = list(without)
    if without_owners:
        values["without_owners"] = list(without_owners)
    return iter(session.scalars(statement, values))


@lru_cache(maxsize=4)
def _finding_ready(without: bool, without_owners: bool) -> Select[int]:
    """Write the statement once: it is asked many times a second, and building it cost more than asking."""
    owner, moment = bindparam("owner", type_=String), bindparam("moment", type_=Float)
    # What this process has is in flight also when its lease ran out unnoticed: it is given back, or written, soon.
    held = or_(EventRow.lease_until > moment, EventRow.lease_owner == owner)
    in_flight = select(EventRow.lane).where(EventRow.state == "claimed", held)
    to_come = select(EventRow.lane).where(EventRow.state == "failed", EventRow.due_at > moment)
    statement = (
        select(EventRow.seq)
        .with_hint(EventRow, "INDEXED BY events_standing", "sqlite")  # it would sort all that is due
        .where(EventRow.state.in_(bindparam("standing", UNFINISHED, expanding=True, literal_execute=True)))
        .where(_may_be_taken(owner, moment), EventRow.lane.not_in(in_flight), EventRow.lane.not_in(to_come))
        .order_by(EventRow.seq)
        .limit(bindparam("most", type_=Integer))
    )
    if without:
        statement = statement.where(EventRow.integration_id.not_in(bindparam("without", expanding=True)))
    if without_owners:
        statement = statement.where(_not_of(bindparam("without_owners", expanding=True)))
    return statement


def _may_be_taken(owner: Any, moment: Any) -> ColumnElement[bool]:
    due = and_(EventRow.state.in_(WAITING), EventRow.due_at <= moment)
    lost = and_(EventRow.state == "claimed", EventRow.lease_until <= moment, EventRow.lease_owner != owner)
    return or_(due, lost)


def _unlocked(session: Session, owner: str, moment: float, places: Sequence[int]) -> list[int]:
    """Lock those of the rows that nobody else is writing; of a lane, none behind one that somebody is.

    Who was late with a lease may be writing down how it ended at this very moment.
    """
    query = select(EventRow.seq).where(EventRow.seq.in_(places), _may_be_taken(owner, moment)).order_by(EventRow.seq)
    free = set(session.scalars(query.with_for_update(skip_locked=True)))
    if len(free) == len(places):
        return list(places)
    lanes = session.execute(select(EventRow.seq, EventRow.lane).where(EventRow.seq.in_(places)).order_by(EventRow.seq))
    taken: list[int] = []
    closed: set[str] = set()
    for seq, lane in lanes:
        if seq not in free:
            closed.add(lane)
        elif lane not in closed:
            taken.append(seq)
    return taken


def _not_of(organizations: Any) -> ColumnElement[bool]:
    """Leave out the events of these organizations, as `owners` tells."""
    installed = select(InstallationRow.id).where(InstallationRow.organization_id.in_(organizations))
    alone = select(IntegrationRow.id).where(IntegrationRow.organization_id.in_(organizations))
    # Both said outright: with a null, `not in` would leave out an event of nobody's installation.
    return or_(
        and_(EventRow.installation_id.is_not(None), EventRow.installation_id.not_in(installed)),
        and_(EventRow.installation_id.is_(None), EventRow.integration_id.not_in(alone)),
    )


def next_moment(session: Session) -> float | None:
    """Return when the next event becomes due or a lease expires, in epoch seconds."""
    moments = session.execute(_finding_next(), {"moment": time.time()}).one()
    return min((moment for moment in moments if moment is not None), default=None)


@lru_cache(maxsize=1)
def _finding_next() -> Select[Any]:
    """Write the statement once, as `_finding_ready` does; each part is one look into an index."""
    moment = bindparam("moment", type_=Float)
    dues = [
        select(func.min(EventRow.due_at)).where(EventRow.state == state, EventRow.due_at > moment) for state in WAITING
    ]
    ends = select(func.min(EventRow.lease_until)).where(EventRow.state == "claimed", EventRow.lease_until > moment)
    return select(*(part.scalar_subquery() for part in (*dues, ends)))
