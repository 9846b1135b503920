"""Versions of integrations that nobody needs any more, and integrations that go as a whole."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.store import queue
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import (
    ExternalIdRow,
    InstallationRow,
    SiteInstallationRow,
    SpaceInstallationRow,
)
from runtime.store.tables.integrations import IntegrationRow, PreviewImageRow, VersionRow


def prune(session: Session, integration_id: str, keep: int) -> None:
    """Forget all but the newest versions of an integration."""
    newest = (
        select(VersionRow.id)
        .where(VersionRow.integration_id == integration_id)
        .order_by(VersionRow.number.desc())
        .limit(keep)
    )
    numbers = list(session.scalars(newest))
    if len(numbers) < keep:
        return
    session.execute(
        delete(VersionRow).where(VersionRow.integration_id == integration_id, VersionRow.id.not_in(numbers))
    )


def picture(session: Session, version_id: str, place: int | None) -> bytes | None:
    """Read an icon (`place` None) or a preview image."""
    if place is None:
        return session.scalar(select(VersionRow.icon).where(VersionRow.id == version_id))
    query = select(PreviewImageRow.image)
    return session.scalar(query.where(PreviewImageRow.version_id == version_id, PreviewImageRow.position == place))


def remove(session: Session, integration: IntegrationRow) -> None:
    """Remove an integration with its versions, installations and events."""
    installations = select(InstallationRow.id).where(InstallationRow.integration_id == integration.id)
    for table in (SpaceInstallationRow, SiteInstallationRow):
        parts = select(table.id).where(table.installation_id.in_(installations))
        session.execute(
            delete(ExternalIdRow).where(ExternalIdRow.owner_id.in_(parts)).execution_options(synchronize_session=False)
        )
    session.execute(
        delete(ExternalIdRow)
        .where(ExternalIdRow.owner_id.in_(installations))
        .execution_options(synchronize_session=False)
    )
    queue.forget(session, EventRow.integration_id == integration.id)
    session.delete(integration)
