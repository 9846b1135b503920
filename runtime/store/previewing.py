"""What the preview shows of an integration: where it is installed in its own organization, and its latest events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.store import installed, rows
from runtime.store.rows import HOST
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow


@dataclass(frozen=True, slots=True)
class Place:
    """An integration at home: its owner, and the first space and site that its installation covers."""

    integration: IntegrationRow
    organization: OrganizationRow
    installation: InstallationRow | None
    space_part: SpaceInstallationRow | None
    site_part: SiteInstallationRow | None
    space: SpaceRow | None
    site: SiteRow | None


def place_of(session: Session, name: str) -> Place:
    """Find where an integration is installed in its own organization."""
    integration = session.scalars(select(IntegrationRow).where(IntegrationRow.name == name)).one()
    organization = session.scalars(
        select(OrganizationRow).where(OrganizationRow.id == integration.organization_id)
    ).one()
    installation = installed.covering_organization(session, integration.id, organization.id)
    space_part: SpaceInstallationRow | None = _first(session, SpaceInstallationRow, installation)
    site_part = _first(session, SiteInstallationRow, installation)
    return Place(
        integration,
        organization,
        installation,
        space_part,
        site_part,
        rows.find(session, HOST, SpaceRow, id=space_part.space_id)
        if space_part
        else _covered_space(session, integration, organization),
        rows.find(session, HOST, SiteRow, id=site_part.site_id) if site_part else None,
    )


def _covered_space(session: Session, integration: IntegrationRow, organization: OrganizationRow) -> SpaceRow | None:
    """Find the first space in which blocks are rendered without an installation on it."""
    of = select(SpaceRow).where(SpaceRow.organization_id == organization.id, SpaceRow.deleted_at.is_(None))
    first = session.scalars(of.order_by(SpaceRow.created_at, SpaceRow.id).limit(1)).first()
    return first if first is not None and installed.covering_space(session, integration, first) else None


def _first(session: Session, table: Any, installation: InstallationRow | None) -> Any:
    if installation is None:
        return None
    parts = rows.every(session, HOST, table, installation_id=installation.id, deleted_at=None)
    return parts[0] if parts else None


def latest_events(session: Session, name: str, limit: int) -> Sequence[dict[str, Any]]:
    """List the newest events of an integration, as the announcements show them."""
    columns = ("id", "type", "created_at", "installation_id", "state", "duration_ms", "payload", "answer", "due_at")
    query = (
        select(*(getattr(EventRow, column) for column in columns))
        .join(IntegrationRow, IntegrationRow.id == EventRow.integration_id)
        .where(IntegrationRow.name == name)
        .order_by(EventRow.seq.desc())
        .limit(limit)
    )
    return [dict(zip(columns, row, strict=True)) for row in session.execute(query)]
