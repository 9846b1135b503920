"""The event table as a queue: adding, claiming, finishing, recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from sqlalchemy import ColumnElement, Dialect, and_, bindparam, delete, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow

WAITING = ("pending", "failed")
Source = Literal["people", "visitors"]
SOURCES: tuple[Source | None, ...] = (None, "people", "visitors")
"""Who caused an event: the platform, somebody with a token, or anybody at all."""


def add(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Add events, in the caller's transaction; a key that is absent is null."""
    connection = session.connection()
    statement, columns = _insertion(connection.dialect)
    values = [tuple(_bound(row.get(key), process) for key, process in columns) for row in rows]
    connection.exec_driver_sql(statement, values)


def _bound(value: Any, process: Callable[[Any], Any] | None) -> Any:
    return value if process is None or value is None else process(value)


@lru_cache(maxsize=4)
def _insertion(dialect: Dialect) -> tuple[str, list[tuple[str, Callable[[Any], Any] | None]]]:
    """Write the insertion once: every call of a script is a row, and building the statement cost more than the row."""
    columns = [column for column in EventRow.__table__.columns if column.key != "seq"]
    place = "?" if dialect.paramstyle == "qmark" else "%s"
    names, places = ", ".join(column.name for column in columns), ", ".join([place] * len(columns))
    processors = [column.type.dialect_impl(dialect).bind_processor(dialect) for column in columns]
    keys = [column.key for column in columns]
    return f"INSERT INTO events ({names}) VALUES ({places})", list(zip(keys, processors, strict=True))


def owners(session: Session, events: Sequence[EventRow]) -> dict[str, str]:
    """Give the organization of each installation these events are for, of the integration where they are for none."""
    installed = {event.installation_id for event in events if event.installation_id is not None}
    alone = {event.integration_id for event in events if event.installation_id is None}
    found: dict[str, str] = {}
    if installed:
        query = select(InstallationRow.id, InstallationRow.organization_id).where(InstallationRow.id.in_(installed))
        found |= dict(session.execute(query).tuples().all())
    if alone:
        query = select(IntegrationRow.id, IntegrationRow.organization_id).where(IntegrationRow.id.in_(alone))
        found |= dict(session.execute(query).tuples().all())
    return found


def claim(
    session: Session,
    owner: str,
    *,
    limit: int,
    lease: float,
    without: Sequence[str] = (),
    without_owners: Sequence[str] = (),
) -> list[EventRow]:
    """Take due events for this process, oldest first, and those whose lease ran out.

    None of the integrations `without`, and none of the organizations `without_owners`. Nothing is taken from a lane
    that has an event in flight: events of one installation keep their order.
    """
    moment = time.time()
    other = aliased(EventRow)
    busy = select(other.seq).where(other.lane == EventRow.lane, other.state == "claimed", other.lease_until > moment)
    due = and_(EventRow.state.in_(WAITING), EventRow.due_at <= moment)
    lost = and_(EventRow.state == "claimed", EventRow.lease_until <= moment)
    query = (
        select(EventRow.seq)
        .where(or_(due, lost), ~busy.exists(), EventRow.integration_id.not_in(without), *_not_of(without_owners))
        .order_by(EventRow.seq)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    places = list(session.scalars(query))
    if not places:
        return []
    session.execute(
        update(EventRow)
        .where(EventRow.seq.in_(places))
        .values(state="claimed", lease_owner=owner, lease_until=moment + lease, attempts=EventRow.attempts + 1)
        .execution_options(synchronize_session=False)
    )
    return list(session.scalars(select(EventRow).where(EventRow.seq.in_(places)).order_by(EventRow.seq)))


def _not_of(organizations: Sequence[str]) -> list[ColumnElement[bool]]:
    """Leave out the events of these organizations, as `owners` tells."""
    if not organizations:
        return []
    installed = select(InstallationRow.id).where(InstallationRow.organization_id.in_(organizations))
    alone = select(IntegrationRow.id).where(IntegrationRow.organization_id.in_(organizations))
    # Both said outright: with a null, `not in` would leave out an event of nobody's installation.
    return [
        or_(
            and_(EventRow.installation_id.is_not(None), EventRow.installation_id.not_in(installed)),
            and_(EventRow.installation_id.is_(None), EventRow.integration_id.not_in(alone)),
        )
    ]


def next_slot(session: Session, installation_id: str, *, most: int, window: float) -> float | None:
    """Tell until when one more event that may be held must wait, None when it need not.

    Of one installation at most `most` fall into any `window`, in seconds.
    """
    moment = time.time()
    query = (
        select(EventRow.due_at)
        .where(EventRow.installation_id == installation_id, EventRow.held.is_not(None))
        .where(EventRow.due_at > moment - window)
        .order_by(EventRow.due_at.desc())
        .offset(most - 1)
        .limit(1)
    )
    crowded = session.scalar(query)
    return None if crowded is None else crowded + window


def extend(session: Session, owner: str, lease: float) -> None:
    """Keep the events of this process for a while longer."""
    session.execute(
        update(EventRow)
        .where(EventRow.lease_owner == owner, EventRow.state == "claimed")
        .values(lease_until=time.time() + lease)
        .execution_options(synchronize_session=False)
    )


def release(session: Session, owner: str) -> None:
    """Give back what this process took and did not begin."""
    session.execute(
        update(EventRow)
        .where(EventRow.lease_owner == owner, EventRow.state == "claimed")
        .values(state="pending", lease_owner=None, lease_until=None, attempts=EventRow.attempts - 1)
        .execution_options(synchronize_session=False)
    )


def finish(session: Session, owner: str, results: Sequence[dict[str, Any]]) -> None:
    """Write how attempts ended; a result of an event that somebody else took over meanwhile changes nothing.

    A result has the keys `place`, `state`, `due_at`, `answer`, `duration_ms`, `trace` and `kept`: the payload as it is
    kept from now on, None where that is as it was sent.
    """
    statement = (
        update(EventRow.__table__)  # type: ignore[arg-type]
        .where(EventRow.seq == bindparam("place"), EventRow.lease_owner == owner, EventRow.state == "claimed")
        .values({key: bindparam(key) for key in ("state", "due_at", "answer", "duration_ms", "trace")})
        .values(payload=func.coalesce(bindparam("kept", type_=EventRow.payload.type), EventRow.payload))
        .values(lease_owner=None, lease_until=None, ended_at=time.time())
    )
    session.connection().execute(statement, list(results))


def next_due(session: Session) -> float | None:
    """Tell when the next event is due or a lease ends, in epoch seconds."""
    waiting = select(func.min(EventRow.due_at)).where(EventRow.state.in_(WAITING))
    leased = select(func.min(EventRow.lease_until)).where(EventRow.state == "claimed")
    moments = [moment for moment in (session.scalar(waiting), session.scalar(leased)) if moment is not None]
    return min(moments, default=None)


def depth(session: Session) -> dict[str, int]:
    """Count the events in each state that is not an end."""
    query = (
        select(EventRow.state, func.count())
        .where(EventRow.state.in_(("pending", "claimed", "failed", "given-up")))
        .group_by(EventRow.state)
    )
    return dict(session.execute(query).tuples().all())


def prune(session: Session, integration_id: str, keep: int) -> None:
    """Forget all but the newest ended events of an integration: `keep` that were delivered, and as many given up.

    They are counted apart, so that many successes do not hide the failures before them; and so is what each source
    caused: no number of requests that anybody may send pushes out what the platform or people did.
    """
    for state, source in product(("delivered", "given-up"), SOURCES):
        of = EventRow.source.is_(None) if source is None else EventRow.source == source
        ended = and_(EventRow.integration_id == integration_id, EventRow.state == state, of)
        newest = select(EventRow.seq).where(ended).order_by(EventRow.seq.desc())
        oldest = session.scalar(newest.offset(keep).limit(1))
        if oldest is not None:
            gone = delete(EventRow).where(ended, EventRow.seq <= oldest)
            session.execute(gone.execution_options(synchronize_session=False))
