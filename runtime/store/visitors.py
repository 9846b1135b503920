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


def open_session(
    session: Session, site_id: str, site_installation_id: str | None, claims: dict[str, Any], expires: datetime
) -> str:
    """Remember a visitor until a moment, and forget those whose moment has passed; returns the cookie's value."""
    moment = now()
    over = select(VisitorSessionRow.digest).where(VisitorSessionRow.expires_at <= moment)
    over = over.with_for_update(skip_locked=True)  # what is being forgotten for another visitor needs no waiting
    session.execute(delete(VisitorSessionRow).where(VisitorSessionRow.digest.in_(over)))
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
