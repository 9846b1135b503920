"""Deleted spaces: who may restore them, and their final removal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, select
from sqlalchemy.orm import Session

from runtime.contract.organizations import Role
from runtime.store import uninstalled
from runtime.store.levels import level_of, number_of
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow


def find(session: Session, reach: Reach, space_id: str) -> tuple[SpaceRow, Role] | None:
    """Find a deleted space that an actor would see if it were there, with their level on it."""
    if "\x00" in space_id:
        return None
    query = select(SpaceRow, SpaceRow.level_for(reach)).where(
        SpaceRow.id == space_id,
        SpaceRow.deleted_at.is_not(None),
        SpaceRow.organization_id.in_([place for place, _ in reach.roles]),
    )
    match = session.execute(query).first()
    level = level_of(match[1]) if match is not None else None
    return (match[0], level) if match is not None and level is not None else None


def restorable(reach: Reach, after: datetime) -> ColumnElement[bool]:
    """Match the spaces deleted after a moment that an actor may restore."""
    places = [place for place, _ in reach.roles]
    may = SpaceRow.level_for(reach) >= number_of("admin")
    return and_(SpaceRow.deleted_at > after, SpaceRow.organization_id.in_(places), may)


def reread(session: Session, space: SpaceRow) -> SpaceRow | None:
    """Read a space as it stands now, deleted or not."""
    query = select(SpaceRow).where(SpaceRow.id == space.id, SpaceRow.organization_id == space.organization_id)
    return session.scalars(query.execution_options(populate_existing=True)).first()


def overdue(session: Session, before: datetime, limit: int) -> list[str]:
    """Return the ids of spaces deleted before a moment, the oldest first."""
    query = select(SpaceRow.id).where(SpaceRow.deleted_at < before).order_by(SpaceRow.deleted_at).limit(limit)
    return list(session.scalars(query))


def remove(session: Session, space_ids: Sequence[str], before: datetime) -> int:
    """Remove spaces for good unless they were brought back meanwhile; returns how many went.

    With them goes what was installed there: configuration, external ids, and the events about it.
    """
    late = select(SpaceRow.id).where(SpaceRow.id.in_(space_ids), SpaceRow.deleted_at < before)
    ids = list(session.scalars(late.with_for_update()))
    if ids:
        uninstalled.remove(session, uninstalled.find_on(session, ids))
        session.execute(delete(SpaceRow).where(SpaceRow.id.in_(ids)).execution_options(synchronize_session=False))
    return len(ids)
