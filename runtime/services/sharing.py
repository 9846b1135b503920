"""Share links, and redirects from one path of a site to another place of it."""

from __future__ import annotations

import secrets
from typing import Any

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.site_publishing import CreateRedirect, ToSection, UpdateRedirect
from runtime.serializers.published_urls import Opened
from runtime.services import quotas
from runtime.services.site_removal import lock_site
from runtime.store import rows, share_links, site_structure
from runtime.store.rows import HOST
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow
from runtime.store.tables.site_structure import SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

MAX_LINKS, MAX_REDIRECTS = 200, 2000
NO_LINK = "There is no active share link with this key."


def make_link(session: Session, site: SiteRow, name: str) -> ShareLinkRow:
    """Make a link with a new key; raises BadRequest where there are too many."""
    lock_site(session, site)
    full = "A site has at most {most} share links; delete one first."
    quotas.enforce(session, ShareLinkRow, MAX_LINKS, full, site_id=site.id)
    key = secrets.token_urlsafe(24)
    row = ShareLinkRow(site_id=site.id, name=name, key=key, digest=share_links.digest_of(key))
    session.add(row)
    session.flush()
    return row


def key_that_opens(session: Session, site: SiteRow, key: str | None) -> str | None:
    """Return the key with which addresses of a site are written; raises NotFound for one that opens nothing.

    Where a site needs no key, one that is sent along means nothing.
    """
    if key is None or site.visibility != "share-link":
        return None
    if share_links.active(session, site, key) is None:
        raise errors.NotFound(NO_LINK)
    return key


def site_that_opens(session: Session, space: SpaceRow, key: str | None) -> Opened | None:
    """Find the site of a space that a key opens; raises NotFound for one that opens nothing.

    Where no site of a space needs a key, one that is sent along means nothing.
    """
    sites = site_structure.sites_of_spaces(session, [space.id]) if key is not None else []
    closed = [site for site in sites if site.visibility == "share-link" and site.deleted_at is None]
    for site in closed:
        if key is not None and share_links.active(session, site, key) is not None:
            return Opened(site.id, key)
    if closed:
        raise errors.NotFound(NO_LINK)
    return None


def make_redirect(session: Session, site: SiteRow, body: CreateRedirect) -> RedirectRow:
    """Make a redirect; raises BadRequest for a place that is not there, Conflict for a path that is taken."""
    lock_site(session, site)
    full = "A site has at most {most} redirects; delete one first."
    quotas.enforce(session, RedirectRow, MAX_REDIRECTS, full, site_id=site.id)
    _free(session, site, body.source)
    row = RedirectRow(site_id=site.id, source=body.source, **_destination(session, site, body.destination))
    session.add(row)
    session.flush()
    return row


def update_redirect(session: Session, site: SiteRow, row: RedirectRow, body: UpdateRedirect) -> RedirectRow:
    """Change a redirect; raises as `make_redirect` does."""
    lock_site(session, site)
    if body.source is not MISSING and body.source != row.source:
        _free(session, site, body.source)
        row.source = body.source
    if body.destination is not MISSING:
        for column, value in _destination(session, site, body.destination).items():
            setattr(row, column, value)
    session.flush()
    return row


def redirect_from(session: Session, site: SiteRow, source: str) -> RedirectRow | None:
    """Find the redirect from a path."""
    return rows.find(session, HOST, RedirectRow, site_id=site.id, source=source)


def _destination(session: Session, site: SiteRow, to: Any) -> dict[str, str | None]:
    if isinstance(to, ToSection):
        if rows.find(session, HOST, SiteSectionRow, id=to.site_section_id, site_id=site.id) is None:
            raise errors.BadRequest("this site has no such section", field="destination.siteSectionId")
        return {"site_section_id": to.site_section_id, "site_space_id": None, "page_id": None}
    if rows.find(session, HOST, SiteSpaceRow, id=to.site_space_id, site_id=site.id) is None:
        raise errors.BadRequest("this site has no such site space", field="destination.siteSpaceId")
    return {"site_section_id": None, "site_space_id": to.site_space_id, "page_id": getattr(to, "page_id", None)}


def _free(session: Session, site: SiteRow, source: str) -> None:
    if redirect_from(session, site, source) is not None:
        raise errors.Conflict(RedirectRow.taken)
