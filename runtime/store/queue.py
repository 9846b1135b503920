"""The event table as a queue: adding, claiming, finishing, recording."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Dialect,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from runtime.store.inserting import insert_rows
from runtime.store.locks import others_write
from runtime.store.tables.events import OVER, STANDING, UNFINISHED, EventRow
from runtime.store.tables.integrations import IntegrationRow

WAITING = ("pending", "failed")
MAX_WAITING = 50_000
"""Events of an integration that are not over, beyond which nothing more is taken that could be left out: every process
that looks for what is due passes by all of them."""
HARD_MAX_WAITING = 100_000
"""Events of an integration that are not over, beyond which none is written at all: something that changes over and over
causes more of them than a slow script handles. It is more than `MAX_WAITING`, so that tasks never displace a change."""
MAX_WAITING_BYTES, HARD_MAX_WAITING_BYTES = 64 << 20, 128 << 20
"""The same for the bytes of their payloads, together."""
ROW = 512
"""Bytes of an event in the database beside its payload."""
KEPT_BYTES = 16 << 20
"""Bytes, with traces and answers, of events that are over and kept; of one integration, state and source."""
KEPT_ANYWAY = 20
"""The newest of these are kept whatever their bytes."""
SHORTEST_HOLD = 0.001
MOST_RETRIED = 1000
"""Events that become due together when a new version of their script is published."""
FARTHEST = 60.0
"""Seconds beyond what anybody asked for that a moment of the queue may lie ahead: clocks of several hosts differ."""
Source = Literal["people", "visitors"]
SOURCES: tuple[Source | None, ...] = (None, "people", "visitors")
"""Who caused an event: the platform, somebody with a token, or anybody at all."""


def standing(session: Session, integration_id: str) -> tuple[int, int]:
    """Count the events of an integration that are not over, no further than `MAX_WAITING`, and their bytes.

    What others add at the same moment is not seen.
    """
    count, size = session.connection().execute(_counting(), {"integration": integration_id, "most": MAX_WAITING}).one()
    return int(count), int(size)


def standing_of_organization(session: Session, organization_id: str) -> int:
    """Add up the bytes of all unfinished events of an organization's integrations, as rows of the database."""
    mine = select(func.count() * ROW + func.coalesce(func.sum(EventRow.size), 0))
    each = mine.where(EventRow.integration_id == IntegrationRow.id, STANDING).correlate(IntegrationRow)
    # One integration after the other: joined, PostgreSQL reads what waits for all organizations.
    query = select(func.sum(each.scalar_subquery())).where(IntegrationRow.organization_id == organization_id)
    return int(session.scalar(query) or 0)


@lru_cache(maxsize=1)
def _counting() -> Select[int, int]:
    """Build the statement once, since it runs for every posted event.

    `STANDING` is literal: with bound parameters the database would not use its partial index.
    """
    events = EventRow.__table__
    of = events.c.integration_id == bindparam("integration", type_=String)
    some = select(events.c.size).where(of, STANDING).limit(bindparam("most", type_=Integer)).subquery()
    return select(func.count(), func.coalesce(func.sum(some.c.size), 0))


def full(session: Session, events: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the integrations that, with these, would have more events than `MAX_WAITING`, or `MAX_WAITING_BYTES`."""
    counts, sizes = _tally(events)
    there = {one: standing(session, one) for one in counts}
    return {
        one
        for one, (waiting, bytes_) in there.items()
        if waiting + counts[one] > MAX_WAITING or bytes_ + sizes[one] > MAX_WAITING_BYTES
    }


def overfull(session: Session, events: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the same for `HARD_MAX_WAITING` and `HARD_MAX_WAITING_BYTES`."""
    counts, sizes = _tally(events)
    if not counts:
        return set()
    count, size = func.count(), func.sum(EventRow.size)
    of = EventRow.integration_id.in_(counts)
    query = select(EventRow.integration_id, count, size).where(of, STANDING).group_by(EventRow.integration_id)
    near = or_(count > HARD_MAX_WAITING - max(counts.values()), size > HARD_MAX_WAITING_BYTES - max(sizes.values()))
    there: dict[str, tuple[int, int]] = {row[0]: (row[1], row[2] or 0) for row in session.execute(query.having(near))}
    return {
        one
        for one, (waiting, bytes_) in ((one, there.get(one, (0, 0))) for one in counts)
        if waiting + counts[one] > HARD_MAX_WAITING or bytes_ + sizes[one] > HARD_MAX_WAITING_BYTES
    }


def _tally(events: Sequence[Mapping[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Count events, and their bytes, by integration."""
    counts, sizes = Counter[str](), Counter[str]()
    for event in events:
        counts[event["integration_id"]] += 1
        sizes[event["integration_id"]] += event["size"]
    return counts, sizes


def add(session: Session, events: Sequence[dict[str, Any]]) -> None:
    """Add events, in the caller's transaction; a key that is absent is null."""
    connection = session.connection()
    start, places, columns = _insertion(connection.dialect)
    values = [tuple(_bound(row.get(key), process) for key, process in columns) for row in events]
    insert_rows(connection, start, places, values)


def _bound(value: Any, process: Callable[[Any], Any] | None) -> Any:
    return value if process is None or value is None else process(value)


@lru_cache(maxsize=4)
def _insertion(dialect: Dialect) -> tuple[str, str, list[tuple[str, Callable[[Any], Any] | None]]]:
    """Write the insertion once: every call of a script is a row, and building the statement cost more than the row."""
    columns = [column for column in EventRow.__table__.columns if column.key != "seq"]
    place = "?" if dialect.paramstyle == "qmark" else "%s"
    names, places = ", ".join(column.name for column in columns), ", ".join([place] * len(columns))
    processors = [column.type.dialect_impl(dialect).bind_processor(dialect) for column in columns]
    keys = [column.key for column in columns]
    return f"INSERT INTO events ({names}) VALUES", f"({places})", list(zip(keys, processors, strict=True))


def _lock(session: Session, *conditions: ColumnElement[bool]) -> list[int]:
    """Lock rows in a fixed order, to avoid deadlocks."""
    return list(session.scalars(select(EventRow.seq).where(*conditions).order_by(EventRow.seq).with_for_update()))


def next_slot(session: Session, installation_id: str, *, most: int, window: float) -> float | None:
    """Tell until when one more event that may be held must wait, None when it need not.

    Of one installation at most `most` fall into any `window`, in seconds.
    """
    moment = time.time()
    query = (
        select(EventRow.due_at)
        .where(EventRow.installation_id == installation_id, EventRow.held.is_not(None))
        # Not what ended at a moment to come: the clock was set back since.
        .where(EventRow.due_at > moment - window, or_(EventRow.state.in_(UNFINISHED), EventRow.due_at <= moment))
        .order_by(EventRow.due_at.desc())
        .offset(most - 1)
        .limit(1)
    )
    crowded = session.scalar(query)
    return None if crowded is None else crowded + window


def hold_no_longer(session: Session, installation_id: str) -> None:
    """Make the held events of an installation due, so that what follows does not overtake them."""
    moment = time.time()
    held = and_(EventRow.state == "pending", EventRow.held > 0.0, EventRow.due_at > moment)
    waited = EventRow.held - (EventRow.due_at - moment)  # its trace says for how long it was held
    found = _lock(session, EventRow.installation_id == installation_id, held)
    if found:
        session.execute(
            update(EventRow)
            .where(EventRow.seq.in_(found))
            .values(due_at=moment, held=case((waited > 0.0, waited), else_=SHORTEST_HOLD))
            .execution_options(synchronize_session=False)
        )


def retry_now(session: Session, integration_id: str) -> bool:
    """Make the events of an integration that wait for another attempt due, since its script changed; tells of any.

    What waits behind them in their lanes would otherwise wait for an attempt that was put off for the sake of a script
    that is gone. The oldest `MOST_RETRIED` of them; the others keep their moments.
    """
    moment = time.time()
    waiting = and_(EventRow.state == "failed", EventRow.due_at > moment, STANDING)
    query = select(EventRow.seq).where(EventRow.integration_id == integration_id, waiting)
    found = list(session.scalars(query.order_by(EventRow.seq).limit(MOST_RETRIED).with_for_update()))
    if found:
        session.execute(
            update(EventRow)
            .where(EventRow.seq.in_(found))
            .values(due_at=moment)
            .execution_options(synchronize_session=False)
        )
    return bool(found)


def strayed(session: Session, lease: float, schedule: Sequence[float]) -> bool:
    """Return whether `bring_back` would find anything, without locking for it."""
    beyond = or_(*(condition for condition, _, _ in _beyond(time.time(), lease, schedule)))
    return session.scalar(select(EventRow.seq).where(beyond).limit(1)) is not None


def bring_back(session: Session, lease: float, schedule: Sequence[float]) -> int:
    """Bring back moments that lie farther ahead than anybody put them, since a clock was set back; returns how many.

    Else what waits, and its lane behind it, would do so until the clock is where it was.
    """
    count = 0
    for condition, column, moment in _beyond(time.time(), lease, schedule):
        found = _lock(session, condition)
        session.execute(
            update(EventRow)
            .where(EventRow.seq.in_(found))
            .values({column: moment})
            .execution_options(synchronize_session=False)
        )
        count += len(found)
    return count


def _beyond(moment: float, lease: float, schedule: Sequence[float]) -> list[tuple[ColumnElement[bool], str, float]]:
    """Return, for each kind of row, when its moment lies too far ahead, in which column, and where it belongs.

    When tasks are due their scripts say, and held events their number: theirs may be any.
    """
    at_once = and_(EventRow.state == "pending", EventRow.type != "task", func.coalesce(EventRow.held, 0.0) == 0.0)
    kinds = [(EventRow.state == "claimed", EventRow.lease_until, lease), (at_once, EventRow.due_at, 0.0)]
    for attempt, delay in enumerate(schedule, 1):
        kinds.append((and_(EventRow.state == "failed", EventRow.attempts == attempt), EventRow.due_at, delay))
    return [
        (and_(which, column > moment + 1.25 * delay + FARTHEST), column.key, moment + delay)
        for which, column, delay in kinds
    ]


def extend(session: Session, owner: str, lease: float) -> list[int]:
    """Extend the leases of this process; returns the events (`seq`).

    One whose lease has run out is lost: somebody else may have it by now.
    """
    moment = time.time()
    held = _lock(session, *_of(owner), EventRow.lease_until > moment)
    session.execute(
        update(EventRow)
        .where(EventRow.seq.in_(held))
        .values(lease_until=moment + lease)
        .execution_options(synchronize_session=False)
    )
    return held


def release(session: Session, owner: str, places: Sequence[int] | None = None) -> None:
    """Release events that this process claimed and did not begin: all of them, or these rows (`seq`)."""
    mine = _of(owner) if places is None else [*_of(owner), EventRow.seq.in_(places)]
    session.execute(
        update(EventRow)
        .where(EventRow.seq.in_(_lock(session, *mine)))
        .values(state="pending", lease_owner=None, lease_until=None, attempts=EventRow.attempts - 1)
        .execution_options(synchronize_session=False)
    )


def _of(owner: str) -> list[ColumnElement[bool]]:
    return [EventRow.lease_owner == owner, EventRow.state == "claimed"]


def finish(session: Session, owner: str, results: Sequence[dict[str, Any]], unbegun: Sequence[int] = ()) -> None:
    """Write how attempts ended; a result of an event that somebody else took over meanwhile changes nothing.

    A result has the keys `place`, `state`, `due_at`, `answer`, `duration_ms`, `trace` and `kept`: the payload as it is
    kept from now on, None where that is as it was sent. Rows in `unbegun` (`seq`) are given back in the same moment.
    """
    if others_write(session):
        _lock(session, EventRow.seq.in_([*(result["place"] for result in results), *unbegun]))
    if results:
        statement = (
            update(EventRow.__table__)  # type: ignore[arg-type]
            .where(EventRow.seq == bindparam("place"), *_of(owner))
            .values({key: bindparam(key) for key in ("state", "due_at", "answer", "duration_ms", "trace")})
            .values(payload=func.coalesce(bindparam("kept", type_=EventRow.payload.type), EventRow.payload))
            .values(lease_owner=None, lease_until=None, ended_at=time.time())
        )
        session.connection().execute(statement, list(results))
    if unbegun:
        release(session, owner, unbegun)


def depth(session: Session) -> dict[str, int]:
    """Count the events in each state that is not an end."""
    query = (
        select(EventRow.state, func.count())
        .where(EventRow.state.in_(("pending", "claimed", "failed", "given-up")))
        .group_by(EventRow.state)
    )
    return dict(session.execute(query).all())


def oldest(session: Session) -> dict[str, float]:
    """Tell for how many seconds the oldest event of each unfinished state has been due; none for what is not yet."""
    moment = time.time()
    firsts = ((state, select(func.min(EventRow.due_at)).where(EventRow.state == state)) for state in UNFINISHED)
    found = ((state, session.scalar(query)) for state, query in firsts)
    return {state: max(0.0, moment - due) for state, due in found if due is not None}


def prune(session: Session, integration_id: str, keep: int) -> None:
    """Forget all but the newest ended events of an integration: `keep` that were delivered, and as many given up.

    Of those, no more than have `KEPT_BYTES` together. They are counted apart, so that many successes do not hide the
    failures before them; and so is what each source caused: no number of requests that anybody may send pushes out what
    the platform or people did.
    """
    for state, source in product(("delivered", "given-up"), SOURCES):
        of = EventRow.source.is_(None) if source is None else EventRow.source == source
        ended = and_(EventRow.integration_id == integration_id, OVER, EventRow.state == state, of)
        last = _last_to_forget(session, ended, keep)
        if last is not None:
            # What another process is forgetting at this moment it need not wait for.
            gone = select(EventRow.seq).where(ended, EventRow.seq <= last).order_by(EventRow.seq)
            _delete(session, EventRow.seq.in_(gone.with_for_update(skip_locked=True)))


def _last_to_forget(session: Session, ended: ColumnElement[bool], keep: int) -> int | None:
    """Return the newest of these events (`seq`) that there is no room for, None where there is room for all."""
    # A bound below all others: with it, SQLite uses `events_over` rather than an index that passes by what waits.
    among = and_(ended, EventRow.seq > 0)
    newest = select(EventRow.seq, _stored_bytes()).where(among).order_by(EventRow.seq.desc()).limit(keep + 1)
    total = 0
    for place, (seq, bytes_) in enumerate(session.execute(newest)):
        total += bytes_
        if place >= keep or (total > KEPT_BYTES and place >= KEPT_ANYWAY):
            return int(seq)
    return None


def crowded(session: Session, keep: int) -> list[str]:
    """Return the integrations that have more ended events, or bytes of them, than `prune` leaves of one kind."""
    kinds = EventRow.integration_id, EventRow.state, EventRow.source
    many, much = func.count() > keep, func.sum(_stored_bytes()) > KEPT_BYTES
    query = select(EventRow.integration_id).where(OVER).group_by(*kinds).having(or_(many, much))
    return list(dict.fromkeys(session.scalars(query)))


def _stored_bytes() -> ColumnElement[int]:
    columns = (EventRow.payload, EventRow.trace, EventRow.body)
    return sum((func.coalesce(func.length(column), 0) for column in columns), literal(0))


def forget(session: Session, *conditions: ColumnElement[bool]) -> None:
    """Delete the events that meet these conditions, whatever their state."""
    if others_write(session):
        _lock(session, *conditions)
    _delete(session, *conditions)


def _delete(session: Session, *conditions: ColumnElement[bool]) -> None:
    session.execute(delete(EventRow).where(*conditions).execution_options(synchronize_session=False))
