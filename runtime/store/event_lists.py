"""Lists of recorded events: filters as SQL, and those that ended, in the order they ended in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, not_, or_, select, tuple_
from sqlalchemy.orm import Session, undefer

from runtime.contract.event_descriptions import BY_STATUS, UNHANDLED, WAITED, Ending
from runtime.contract.events import EventFilters, EventQuery, EventStreamQuery
from runtime.store.reach import Reach
from runtime.store.rows import Conditions, visible
from runtime.store.tables.events import EventRow

_STANDING: Mapping[str, str] = {"queued": "pending", "running": "claimed", "retrying": "failed"}
"""The state of events that are not over, by what they are called."""
TRIED = ("delivered", "failed", "given-up")


def moment(seconds: float) -> datetime:
    """Turn seconds since the epoch into a moment."""
    return datetime.fromtimestamp(seconds, UTC)


def events(integration_id: str, query: EventQuery) -> Conditions:
    """Build the filters of the event list: an event is listed once it is due, or is asked for, as queued ones may be.

    As failed ones are listed only those that were tried.
    """
    listed_ones: ColumnElement[bool] = EventRow.state.in_(TRIED)
    if query.status is None and (query.queued or query.ending == "queued"):
        listed_ones = or_(listed_ones, EventRow.state.in_(("pending", "claimed")))
    elif query.status is None:
        listed_ones = or_(listed_ones, EventRow.due_at <= time.time())
    return [EventRow.integration_id == integration_id, listed_ones, *_chosen(query)]


def _chosen(query: EventFilters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.type is not None:
        conditions.append(EventRow.type == query.type)
    if query.status is not None:
        conditions.append(EventRow.state == "delivered" if query.status == "success" else EventRow.state != "delivered")
    if query.ending is not None:
        conditions.append(ended_as(query.ending))
    if query.installation is not None:
        conditions.append(EventRow.installation_id == query.installation)
    if query.since is not None:
        conditions.append(EventRow.created_at >= query.since)
    return conditions


def ended_as(ending: Ending) -> ColumnElement[bool]:
    """Match the events that ended in a way, as `event_descriptions.ending` tells it of one."""
    if ending in _STANDING:
        return EventRow.state == _STANDING[ending]
    unhandled = and_(EventRow.answer.is_not_distinct_from(UNHANDLED), EventRow.type.not_in(WAITED))
    over = EventRow.state.in_(("delivered", "given-up"))
    if ending == "not-handled":
        return and_(over, unhandled)
    if ending == "success":
        return and_(EventRow.state == "delivered", not_(unhandled))
    known = list(BY_STATUS)
    if ending == "failed":
        answered = or_(EventRow.answer.is_(None), and_(EventRow.answer >= 500, EventRow.answer.not_in(known)))
    elif ending == "rejected":
        answered = and_(EventRow.answer < 500, EventRow.answer.not_in(known))
    else:
        answered = EventRow.answer.in_([status for status in known if BY_STATUS[status] == ending])
    return and_(EventRow.state == "given-up", not_(unhandled), answered)


class Ended(NamedTuple):
    """An event whose last attempt ended, without what it did, which may be long."""

    id: str
    attempts: int
    ended_at: float
    seq: int


_ENDED = (EventRow.id, EventRow.attempts, EventRow.ended_at, EventRow.seq)


def ended(
    session: Session,
    reach: Reach,
    integration_id: str,
    query: EventStreamQuery,
    after: tuple[float, int],
    limit: int,
) -> list[Ended]:
    """List the events an actor may see whose last attempt ended after a place, in the order they ended in.

    A place is the moment, in epoch seconds, and the number (`seq`) of an event: many events end at one moment, since
    they are written down together.
    """
    place = tuple_(EventRow.ended_at, EventRow.seq)
    seen = visible(EventRow, reach)
    conditions = [EventRow.integration_id == integration_id, seen, place > after, *_chosen(query)]
    query_ = select(*_ENDED).where(*conditions).order_by(EventRow.ended_at, EventRow.seq).limit(limit)
    return [Ended(id_, attempts, at or 0.0, seq) for id_, attempts, at, seq in session.execute(query_)]


def last_ended(session: Session, reach: Reach, integration_id: str, query: EventStreamQuery, many: int) -> list[Ended]:
    """List the last events that ended and that an actor may see, the last one first."""
    seen = visible(EventRow, reach)
    conditions = [EventRow.integration_id == integration_id, seen, EventRow.ended_at.is_not(None), *_chosen(query)]
    query_ = select(*_ENDED).where(*conditions).order_by(EventRow.ended_at.desc(), EventRow.seq.desc()).limit(many)
    return [Ended(id_, attempts, at or 0.0, seq) for id_, attempts, at, seq in session.execute(query_)]


def whole_events(session: Session, reach: Reach, some: Sequence[Ended]) -> Sequence[EventRow]:
    """Read events with all that they did, in the order they ended in."""
    query = select(EventRow).where(EventRow.id.in_([one.id for one in some]), visible(EventRow, reach))
    query = query.order_by(EventRow.ended_at, EventRow.seq)
    return list(session.scalars(query.options(undefer(EventRow.trace), undefer(EventRow.body))))
