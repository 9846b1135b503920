"""The queue of background jobs: jobs are claimed with a lease, and taken over by others when it expires."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from runtime.store.database import now
from runtime.store.locks import acquire
from runtime.store.tables.jobs import JobRow

MAX_WAITING = 50
"""Jobs of one kind and organization that may wait or run, where the kind says nothing else."""


class TooManyJobs(Exception):
    """An organization has too many jobs."""


def enqueue(
    session: Session,
    kind: str,
    organization_id: str,
    subject: str,
    payload: dict[str, Any],
    *,
    most: int = MAX_WAITING,
) -> JobRow:
    """Add a job in the transaction that causes it; of a kind and subject one runs at a time, in their order.

    An organization has at most so many of a kind, so that who may ask for one kind of work keeps nobody from another.
    Raises `TooManyJobs`.
    """
    acquire(session, f"jobs:{organization_id}")
    of_kind = JobRow.organization_id == organization_id, JobRow.kind == kind
    count = select(func.count()).select_from(JobRow).where(*of_kind)
    if (session.scalar(count) or 0) >= most:
        raise TooManyJobs
    row = JobRow(kind=kind, organization_id=organization_id, subject=subject, payload=payload)
    session.add(row)
    session.flush()
    return row


def next_due(
    session: Session, moment: datetime, kinds: Collection[str], without: Collection[str] = ()
) -> JobRow | None:
    """Find the job that is due first, of an organization that has the fewest running; None when none is due.

    `without` names organizations that may not begin another job now.
    """
    other = aliased(JobRow)
    held = and_(JobRow.leased_until.is_not(None), JobRow.leased_until > moment)
    other_held = and_(other.leased_until.is_not(None), other.leased_until > moment)
    same = and_(other.kind == JobRow.kind, other.subject == JobRow.subject, other.id != JobRow.id)
    earlier = or_(
        other.created_at < JobRow.created_at, and_(other.created_at == JobRow.created_at, other.id < JobRow.id)
    )
    blocked = select(other.id).where(same, or_(other_held, earlier)).exists()
    running = (
        select(func.count())
        .select_from(other)
        .where(other.organization_id == JobRow.organization_id, other_held)
        .scalar_subquery()
    )
    query = (
        select(JobRow)
        .where(JobRow.due_at <= moment, ~held, JobRow.kind.in_(kinds), JobRow.organization_id.not_in(without), ~blocked)
        .order_by(running, JobRow.due_at, JobRow.id)
        .limit(1)
    )
    return session.scalar(query)


def claim(session: Session, row: JobRow, holder: str, lease: float) -> bool:
    """Claim a job for `lease` seconds and count the attempt; returns False if another process was first.

    Also where another one has tried it since `row` was read: what it was left with is not in the row.
    """
    # Whoever takes another job of the same kind and subject meanwhile waits, and then finds this one held.
    acquire(session, f"job:{row.kind}:{row.subject}")
    moment = now()
    others = select(func.count()).where(
        JobRow.kind == row.kind, JobRow.subject == row.subject, JobRow.id != row.id, JobRow.leased_until > moment
    )
    if session.scalar(others):
        return False
    free = or_(JobRow.leased_until.is_(None), JobRow.leased_until <= moment)
    taken = session.execute(
        update(JobRow)
        .where(JobRow.id == row.id, JobRow.attempts == row.attempts, JobRow.due_at == row.due_at, free)
        .values(holder=holder, leased_until=moment + timedelta(seconds=lease), attempts=JobRow.attempts + 1)
        .execution_options(synchronize_session=False)
    )
    return bool(taken.rowcount == 1)  # type: ignore[attr-defined]


def extend(session: Session, job_id: str, holder: str, lease: float, **values: Any) -> bool:
    """Extend a lease by `lease` seconds, and write `values`; returns False if the holder has lost it."""
    until = now() + timedelta(seconds=lease)
    held = session.execute(
        update(JobRow)
        .where(JobRow.id == job_id, JobRow.holder == holder)
        .values(leased_until=until, **values)
        .execution_options(synchronize_session=False)
    )
    return bool(held.rowcount == 1)  # type: ignore[attr-defined]


def give_back(session: Session, job_id: str, holder: str, due_at: datetime, *, uncount: bool = False) -> None:
    """Release a job from a given time on; with `uncount`, the attempt is not counted."""
    values: dict[str, Any] = {"holder": None, "leased_until": None, "due_at": due_at}
    if uncount:
        values["attempts"] = JobRow.attempts - 1
    session.execute(update(JobRow).where(JobRow.id == job_id, JobRow.holder == holder).values(**values))


def finish(session: Session, job_id: str, holder: str) -> bool:
    """Delete a finished job; returns False if the holder has lost it."""
    row = session.scalar(select(JobRow).where(JobRow.id == job_id, JobRow.holder == holder))
    if row is None:
        return False
    session.delete(row)
    session.flush()
    return True
