"""Deletes sites: integrations on them hear of it, and nothing of them is left to be reached."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services import installing
from runtime.store import installed, locks, rows, site_removal
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow


def lock_name(site: SiteRow) -> str:
    """Name what whoever changes a site, or what it is made of, holds."""
    return f"site {site.id}"


def lock_site(session: Session, site: SiteRow) -> None:
    """Keep others from changing a site, and read it as it stands now; raises NotFound for one that was deleted."""
    locks.acquire(session, lock_name(site))
    locks.refresh(session, site)
    if site.deleted_at is not None:
        raise errors.NotFound("The site was deleted a moment ago.")


def _installed(session: Session, site: SiteRow) -> list[installed.Installed]:
    return installed.in_organization(session, site.organization_id, place=site.id)


def remove(session: Session, site: SiteRow) -> None:
    """Delete a site; each integration on it hears of it once."""
    # All at once and in one order: whoever installs on the site meanwhile holds the installation.
    locks.acquire(session, lock_name(site), *(one.installation_id for one in _installed(session, site)))
    lock_site(session, site)
    for installation, part in site_removal.installations(session, site):
        installing.uninstall_part(session, installation, part)
    site_removal.remove_parts(session, site)
    site.published, site.proxy, site.deleted_at = False, None, now()
    organization = rows.find(session, HOST, OrganizationRow, id=site.organization_id)
    if organization is not None and (organization.default_content or {}).get("site") == site.id:
        organization.default_content = None
    session.flush()
