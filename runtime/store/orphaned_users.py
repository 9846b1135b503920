"""People who are in no organization and have left nothing behind: found and removed.

Otherwise an organization that admits people and removes them again, which an identity provider can do by itself, would
add rows without end.
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
    """Return the e-mail addresses of up to `limit` of them.

    None while no organization has a member: such a host lets the person with its first address set it up again.
    """
    if not session.scalar(select(exists(select(MemberRow.user_id)))):
        return []
    return list(session.scalars(select(UserRow.email).where(*_unknown()).limit(limit)))


def remove(session: Session, addresses: Sequence[str]) -> None:
    """Remove those whom nobody has let in meanwhile; code that makes a person a member takes the same locks."""
    locks.acquire(session, *(f"person {address}" for address in addresses))
    gone = delete(UserRow).where(UserRow.email.in_(addresses), *_unknown())
    session.execute(gone.execution_options(synchronize_session=False))


def _unknown() -> list[ColumnElement[bool]]:
    """Match users whom no row names: no members, without tokens, and authors of nothing that still exists."""
    naming = [
        key.parent for table in TABLES for key in table.__table__.foreign_keys if key.column is UserRow.__table__.c.id
    ]
    published = select(VersionRow.published_by).where(VersionRow.published_by.is_not(None))
    return [~exists().where(column == UserRow.id) for column in naming] + [UserRow.id.not_in(published)]
