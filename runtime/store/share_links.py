"""Share links: how they are found by their key, and how many a site has."""

from __future__ import annotations

import hashlib

from sqlalchemy.orm import Session

from runtime.store import rows
from runtime.store.rows import HOST, Conditions
from runtime.store.searching import contains
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow
from runtime.store.tables.sites import SiteRow


def digest_of(key: str) -> bytes:
    """Return the SHA-256 under which a key is found."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def active(session: Session, site: SiteRow, key: str) -> ShareLinkRow | None:
    """Find the link with a key that opens a site."""
    return rows.find(session, HOST, ShareLinkRow, site_id=site.id, digest=digest_of(key), active=True)


def opened_by(session: Session, key: str) -> SiteRow | None:
    """Find the published site that a key opens."""
    link = rows.find(session, HOST, ShareLinkRow, digest=digest_of(key), active=True)
    if link is None:
        return None
    by = {"id": link.site_id, "visibility": "share-link", "published": True, "deleted_at": None}
    return rows.find(session, HOST, SiteRow, **by)


def redirects(site: SiteRow, search: str | None) -> Conditions:
    """Match the redirects of a site, from paths that contain a text."""
    return [RedirectRow.site_id == site.id, *([contains(RedirectRow.source, search)] if search else [])]
