"""People of no organization who have left nothing behind: found and removed.

Else whoever lets people in and removes them again, which needs nobody but an identity provider, makes rows without end.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.orm import Session

from runtime.store import locks
from runtime.store.schema import TABLES
from runtime.store.tables.integrations import VersionRow
from runtime.store.tables.organizations import MemberRow, UserRow


def find(session: Session, limit: int) -> list[str]:
    """Give the e-mail addresses of some of them.

    None while nobody is in any organization: a host without people lets whoever has its first address begin anew.
    """
    if not session.scalar(select(exists(select(MemberRow.user_id)))):
        return []
    return list(session.scalars(select(UserRow.email).where(*_unknown()).limit(limit)))


def remove(session: Session, addresses: Sequence[str]) -> None:
    """Remove those of them whom nobody has let in meanwhile; who makes somebody a member holds the same names."""
    locks.acquire(session, *(f"person {address}" for address in addresses))
    gone = delete(UserRow).where(UserRow.email.in_(addresses), *_unknown())
    session.execute(gone.execution_options(synchronize_session=False))


def _unknown() -> list[ColumnElement[bool]]:
    """Match who is named nowhere: no member, without tokens, and the author of nothing that is there."""
    naming = [
        key.parent for table in TABLES for key in table.__table__.foreign_keys if key.column is UserRow.__table__.c.id
    ]
    published = select(VersionRow.published_by).where(VersionRow.published_by.is_not(None))
    return [~exists().where(column == UserRow.id) for column in naming] + [UserRow.id.not_in(published)]
