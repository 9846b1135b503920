"""Addresses at which sites, their sections and their spaces are published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from runtime.contract.addresses import Addresses
from runtime.serializers.view import View
from runtime.store import site_structure
from runtime.store.tables.site_structure import SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

SCRIPTS = ("integration", "installation")


def canonical_home(at: Addresses, site: SiteRow) -> str:
    """Return the one address of a site: at its proxy, if there is one."""
    return f"https://{site.proxy}/" if site.proxy else at.site(site.id)


def published_home(at: Addresses, site: SiteRow) -> str:
    """Return the address below which a site is published."""
    # Visitors who sign in come back here with their token, and the session is one of this host's origin.
    return at.site(site.id) if site.visibility == "visitor-auth" else canonical_home(at, site)


def published_base(at: Addresses, site: SiteRow, share_key: str | None) -> str | None:
    """Return the address below which a site is published to whoever has a key; None where it is not."""
    if not site.published or (site.visibility == "share-link" and share_key is None):
        return None
    home = published_home(at, site)
    return f"{home}{share_key}/" if site.visibility == "share-link" else home


def section_place(section: SiteSectionRow) -> str:
    """Return what follows a site's address for a section: nothing for the default one."""
    return "" if section.default_of is not None else f"{section.path}/"


def space_place(part: SiteSpaceRow, section: SiteSectionRow | None) -> str:
    """Return what follows a site's address for a space of it: only defaults leave their paths out.

    A space that is not the default of the default section could have the path of another section.
    """
    if part.default_of is not None:
        return section_place(section) if section is not None else ""
    return f"{section.path}/{part.path}/" if section is not None else f"{part.path}/"


class Opened(NamedTuple):
    """A site that the key of a share link has opened."""

    site_id: str
    key: str


class PublishedAt(NamedTuple):
    """Where a space is published; `public` tells whether everybody may read it there, `opened` whether a key did it."""

    url: str
    public: bool
    opened: bool


def published_at(view: View, space_ids: Iterable[str], opened: Opened | None = None) -> dict[str, PublishedAt]:
    """Return where spaces are published: on the site that is `opened`, or the oldest that needs no share link."""
    found: dict[str, PublishedAt] = {}
    at = opened.site_id if opened is not None else None
    for part, section, site in site_structure.published_places(view.session, space_ids, at):
        key = opened.key if opened is not None and site.id == at else None
        base = published_base(view.at, site, key)
        if base is not None:
            url = base + space_place(part, section)
            found[part.space_id] = PublishedAt(url, site.visibility == "public", key is not None)
    return found


def shown_places(view: View, rows: Sequence[SpaceRow], opened: Opened | None = None) -> dict[str, PublishedAt]:
    """Return where spaces are published, as far as the actor may know.

    Of sites that are not public, only members and scripts of the organization learn the address here, and whoever has
    the key.
    """
    if not rows:
        return {}
    found = published_at(view, [row.id for row in rows], opened)
    return {
        row.id: place
        for row in rows
        if (place := found.get(row.id)) is not None
        and (
            place.public
            or place.opened
            or view.reach.kind in SCRIPTS
            or view.reach.role_in(row.organization_id) is not None
        )
    }
