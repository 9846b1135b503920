"""Share links, redirects, and who signs visitors in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.site_publishing import (
    PublishingAuth,
    ShareLink,
    SiteRedirect,
    ToPage,
    ToSection,
    ToSiteSpace,
)
from runtime.contract.site_structure import PublishedUrls
from runtime.serializers.published_urls import published_home
from runtime.serializers.view import View
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow
from runtime.store.tables.sites import SiteRow


def share_links(view: View, rows: Sequence[ShareLinkRow]) -> list[ShareLink]:
    """Show share links, with the address each opens while its site is published."""
    sites = view.by_id(SiteRow, (row.site_id for row in rows))
    return [_share_link(view, row, sites[row.site_id]) for row in rows]


def _share_link(view: View, row: ShareLinkRow, site: SiteRow) -> ShareLink:
    opens = site.published and site.visibility == "share-link"
    return ShareLink(
        id=row.id,
        created_at=row.created_at,
        name=row.name,
        active=row.active,
        urls=PublishedUrls(published=f"{published_home(view.at, site)}{row.key}/" if opens else MISSING),
    )


def redirects(view: View, rows: Sequence[RedirectRow]) -> list[SiteRedirect]:
    """Show redirects."""
    return [SiteRedirect(id=row.id, source=row.source, destination=_destination(row)) for row in rows]


def _destination(row: RedirectRow) -> ToSection | ToSiteSpace | ToPage:
    if row.site_section_id is not None:
        return ToSection(kind="site-section", site_section_id=row.site_section_id)
    place: dict[str, Any] = {"site_space_id": row.site_space_id}
    if row.page_id is not None:
        return ToPage(kind="site-page", page_id=row.page_id, **place)
    return ToSiteSpace(kind="site-space", **place)


def publishing_auth(site: SiteRow, key: str) -> PublishingAuth:
    """Show who signs the visitors of a site in, with the key."""
    integration = site.visitor_auth_integration if site.visitor_auth_backend == "integration" else None
    return PublishingAuth(
        backend="custom" if integration is None else "integration",
        private_key=key,
        fallbackURL=site.fallback_url or MISSING,
        integration=integration or MISSING,
    )
