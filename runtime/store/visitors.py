"""Visitors who signed in to sites."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.sites import VisitorSessionRow


def open_session(
    session: Session, site_id: str, site_installation_id: str, claims: dict[str, Any], expires: datetime
) -> str:
    """Remember a visitor until a moment, and forget those whose moment has passed; returns the cookie's value."""
    moment = now()
    session.execute(delete(VisitorSessionRow).where(VisitorSessionRow.expires_at <= moment))
    value = secrets.token_urlsafe(32)
    session.add(
        VisitorSessionRow(
            digest=_digest(value),
            site_id=site_id,
            site_installation_id=site_installation_id,
            claims=claims,
            expires_at=expires,
        )
    )
    session.flush()
    return value


def find_session(session: Session, site_id: str, site_installation_id: str, value: str) -> VisitorSessionRow | None:
    """Find the session of a cookie, while it lasts."""
    row = rows.find(
        session,
        HOST,
        VisitorSessionRow,
        digest=_digest(value),
        site_id=site_id,
        site_installation_id=site_installation_id,
    )
    return row if row is not None and row.expires_at > now() else None


def close_session(session: Session, site_id: str, value: str) -> None:
    """Forget the visitor of a cookie."""
    session.execute(
        delete(VisitorSessionRow).where(
            VisitorSessionRow.digest == _digest(value), VisitorSessionRow.site_id == site_id
        )
    )


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()
