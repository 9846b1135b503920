"""What goes with a site that is deleted, and who is installed on it until then."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.store.database import Table
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow, SiteCustomizationRow
from runtime.store.tables.site_structure import DeletedSpacePlaceRow, SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteAdaptiveSchemaRow, SiteRow, VisitorSessionRow

PARTS: tuple[type[Table], ...] = (
    RedirectRow,
    ShareLinkRow,
    SiteCustomizationRow,
    SiteSpaceRow,
    SiteSectionRow,
    SiteSectionGroupRow,
    DeletedSpacePlaceRow,
    SiteAdaptiveSchemaRow,
    VisitorSessionRow,
)


def installations(session: Session, site: SiteRow) -> list[tuple[InstallationRow, SiteInstallationRow]]:
    """List what is installed on a site."""
    query = (
        select(InstallationRow, SiteInstallationRow)
        .join(SiteInstallationRow, SiteInstallationRow.installation_id == InstallationRow.id)
        .where(
            SiteInstallationRow.site_id == site.id,
            SiteInstallationRow.deleted_at.is_(None),
            InstallationRow.deleted_at.is_(None),
        )
        .order_by(SiteInstallationRow.created_at, SiteInstallationRow.id)
    )
    return [(installation, part) for installation, part in session.execute(query)]


def remove_parts(session: Session, site: SiteRow) -> None:
    """Remove what a site is made of and what is known of its visitors."""
    for table in PARTS:
        session.execute(delete(table).where(table.site_id == site.id))  # type: ignore[attr-defined]
