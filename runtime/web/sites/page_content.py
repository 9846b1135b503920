"""The sample pages of a published site where the preview is served: something to read, and a page for each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.dispatch.planning import policy_header
from runtime.services import visiting
from runtime.store import searching
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.documents import written
from runtime.web.sites.site_map import SiteMap

MAX_PAGES = 300
"""Pages of all spaces that the sample lists."""


@dataclass(frozen=True, slots=True)
class SampleBlock:
    """A block on a page: whose it is, which one, and the space it is on."""

    integration: str
    component: str
    space: str
    endpoint: str
    policy: str | None


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One page; `place` is what follows the site's address."""

    place: str
    title: str
    text: tuple[str, ...] = ()
    block: SampleBlock | None = None
    html: Markup | None = None


@dataclass(frozen=True, slots=True)
class SampleSite:
    """What a reader finds; `site_space` is the id of the site's first part, null where it has none."""

    pages: list[SamplePage] = field(default_factory=list)
    map: SiteMap | None = None
    site_space: str | None = None

    def at(self, place: str) -> SamplePage | None:
        """Find the page at a place."""
        return next((page for page in self.pages if unquote(page.place) == unquote(place)), None)

    def filled(self, session: Session, place: str, home: str, at: Addresses) -> SamplePage | None:
        """Find the page at a place, with what it says; a sample page gives way to a page of a space."""
        shown = self.map.at(place) if place and self.map is not None else None
        if shown is None or self.map is None:
            return self.at(place)
        return SamplePage(shown.place, shown.title, html=written(session, self.map, shown, home, at).html)

    @property
    def blocks(self) -> list[SampleBlock]:
        """All blocks of the site."""
        return [page.block for page in self.pages if page.block is not None]


WRITTEN = (
    SamplePage(
        "",
        "Welcome",
        (
            "This is a sample of a published site. It shows an integration where readers will see it: with the scripts "
            "it injects, under their content security policy, and with its blocks.",
            "The other pages are in the list beside this text. Going from page to page does not reload; scripts that "
            "count page views must notice that by themselves.",
        ),
    ),
    SamplePage(
        "guide",
        "A guide",
        (
            "A second page to go to. Its address, its title and its text differ from the first one's.",
            "Say below whether it was helpful: integrations with the scope page:feedback:read receive it.",
        ),
    ),
)


def sample_of(session: Session, site: SiteRow, at: Addresses, claims: Mapping[str, Any] | None = None) -> SampleSite:
    """Write the pages of a site: the same text for all, the pages of its spaces, and the blocks that are active in it.

    Pages of spaces are those that are there for a visitor who claims this.
    """
    map_ = SiteMap(session, site, claims)
    pages = [*WRITTEN, *(SamplePage(page.place, page.title) for page in islice(map_.pages(), MAX_PAGES))]
    ids: set[str] = set()
    for space in visiting.spaces_of(session, site):
        for integration in searching.active_on_space(session, space):
            if integration.name in ids:
                continue
            ids.add(integration.name)
            policy, endpoint = policy_header(integration), at.integration(integration.name)
            for block in integration.manifest.get("blocks") or ():
                block_ = SampleBlock(integration.name, block["id"], space.id, endpoint, policy)
                text = (block.get("description") or f"The block {block['id']} of {integration.manifest['title']}.",)
                place = quote(f"blocks/{integration.name}/{block['id']}")
                pages.append(SamplePage(place, block["title"], text, block_))
    return SampleSite(pages, map_, map_.parts.spaces[0].id if map_.parts.spaces else None)
