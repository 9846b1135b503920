"""Visitors who signed in to sites."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import VisitorSessionRow

MAX_SESSIONS, SELDOM = 100_000, 100
"""Visitors of one site who are signed in; how many there are is looked at with one in so many, by chance."""


def open_session(
    session: Session, site_id: str, site_installation_id: str | None, claims: dict[str, Any], expires: datetime
) -> str:
    """Remember a visitor until a moment, and forget those whose moment has passed; returns the cookie's value.

    Where a site has too many, those go who signed in longest ago: its owner can sign in as many as they like.
    """
    moment = now()
    over = select(VisitorSessionRow.digest).where(VisitorSessionRow.expires_at <= moment)
    over = over.with_for_update(skip_locked=True)  # what is being forgotten for another visitor needs no waiting
    session.execute(delete(VisitorSessionRow).where(VisitorSessionRow.digest.in_(over)))
    if secrets.randbelow(SELDOM) == 0:
        _forget_oldest(session, site_id)
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


def _forget_oldest(session: Session, site_id: str) -> None:
    row = VisitorSessionRow
    newest_first = select(row.digest).where(row.site_id == site_id).order_by(row.created_at.desc(), row.digest)
    surplus = newest_first.limit(MAX_SESSIONS).offset(MAX_SESSIONS - 1).with_for_update(skip_locked=True)
    session.execute(delete(row).where(row.digest.in_(surplus)))


def find_session(
    session: Session, site_id: str, site_installation_id: str | None, value: str
) -> VisitorSessionRow | None:
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


def is_session(session: Session, site_id: str, value: str) -> bool | None:
    """Tell whether there is a session of a cookie on a site, whoever signed the visitor in; None if not."""
    return rows.find(session, HOST, VisitorSessionRow, digest=_digest(value), site_id=site_id) is not None or None


def close_session(session: Session, site_id: str, value: str) -> None:
    """Forget the visitor of a cookie."""
    session.execute(
        delete(VisitorSessionRow).where(
            VisitorSessionRow.digest == _digest(value), VisitorSessionRow.site_id == site_id
        )
    )


def close_sessions(session: Session, site_id: str) -> None:
    """Forget all visitors of a site."""
    session.execute(delete(VisitorSessionRow).where(VisitorSessionRow.site_id == site_id))


def installed_by_name(
    session: Session, site_id: str, name: str
) -> tuple[IntegrationRow, InstallationRow, SiteInstallationRow] | None:
    """Find an integration as it is installed on a site."""
    query = (
        select(IntegrationRow, InstallationRow, SiteInstallationRow)
        .join(InstallationRow, InstallationRow.integration_id == IntegrationRow.id)
        .join(SiteInstallationRow, SiteInstallationRow.installation_id == InstallationRow.id)
        .where(
            IntegrationRow.name == name,
            SiteInstallationRow.site_id == site_id,
            SiteInstallationRow.deleted_at.is_(None),
            InstallationRow.deleted_at.is_(None),
        )
    )
    match = session.execute(query).first()
    return (match[0], match[1], match[2]) if match is not None else None


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()
