"""Sign-ins in progress: each step succeeds once, also under concurrency."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CursorResult, delete, func, select, update
from sqlalchemy.orm import Session

from runtime.store.tables.organizations import UserRow
from runtime.store.tables.saml import SamlSignInRow


def person_with(session: Session, address: str) -> UserRow | None:
    """Find whose e-mail address this is, however it is written."""
    return session.scalars(select(UserRow).where(func.lower(UserRow.email) == address.lower()).limit(1)).first()


def accept(
    session: Session, request_id: str, code: bytes, user_id: str, signed_in_until: datetime, expires_at: datetime
) -> bool:
    """Note who signed in; False where the request was answered already."""
    mine = update(SamlSignInRow).where(SamlSignInRow.id == request_id, SamlSignInRow.code.is_(None))
    values = {"code": code, "user_id": user_id, "signed_in_until": signed_in_until, "expires_at": expires_at}
    return _changed_one(session.execute(mine.values(values)))


def use_up(session: Session, request_id: str) -> bool:
    """End a sign-in; False where it has ended already."""
    return _changed_one(session.execute(delete(SamlSignInRow).where(SamlSignInRow.id == request_id)))


def _changed_one(result: object) -> bool:
    return isinstance(result, CursorResult) and result.rowcount == 1
