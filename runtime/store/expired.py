"""Rows with an expiry time (`expires_at`): found and removed a few at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.store.tables.invites import EmailInviteRow, InviteEmailRow
from runtime.store.tables.organizations import TokenRow
from runtime.store.tables.saml import SamlSignInRow

Ends = EmailInviteRow | InviteEmailRow | SamlSignInRow | TokenRow


def find(session: Session, table: type[Ends], moment: datetime, limit: int) -> list[str]:
    """Return the ids of rows that have expired at a given time."""
    return list(session.scalars(select(table.id).where(table.expires_at <= moment).limit(limit)))


def remove(session: Session, table: type[Ends], ids: Sequence[str], moment: datetime) -> None:
    """Remove those of the rows that still exist and are still expired: an invite may have been renewed."""
    for row in session.scalars(select(table).where(table.id.in_(ids), table.expires_at <= moment)):
        session.delete(row)
