"""Rows of imports: their progress, and which ones are kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from runtime.store.database import now
from runtime.store.tables.imports import ImportRow

UNDER_WAY = ("pending", "in-progress")
KEPT = 100
"""Imports of a space that are over and still shown."""


def change(session: Session, import_id: str, **values: Any) -> bool:
    """Store the progress of an import; returns False if it has ended, for example by cancelling."""
    changed = session.execute(
        update(ImportRow)
        .where(ImportRow.id == import_id, ImportRow.status.in_(UNDER_WAY))
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    return bool(changed.rowcount == 1)  # type: ignore[attr-defined]


def end(session: Session, import_id: str, status: str, **values: Any) -> bool:
    """Store the end of an import; returns False if it had ended already."""
    return change(session, import_id, status=status, finished_at=now(), blob=None, **values)


def cancel_in(session: Session, spaces: Collection[str]) -> None:
    """Cancel all imports into some spaces that are under way."""
    session.execute(
        update(ImportRow)
        .where(ImportRow.space_id.in_(spaces), ImportRow.status.in_(UNDER_WAY))
        .values(status="cancelled", finished_at=now(), blob=None, imported=0)
        .execution_options(synchronize_session=False)
    )


def thin(session: Session, space_id: str) -> None:
    """Delete the oldest imports of a space that are over, beyond those that are kept."""
    over = ImportRow.status.not_in(UNDER_WAY)
    query = select(ImportRow.id).where(ImportRow.space_id == space_id, over)
    old = session.scalars(query.order_by(ImportRow.created_at.desc(), ImportRow.id).offset(KEPT).limit(KEPT)).all()
    if old:
        session.execute(delete(ImportRow).where(ImportRow.id.in_(old)).execution_options(synchronize_session=False))
