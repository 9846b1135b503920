"""What a reader of a published site sees around a page: where they are, what else there is, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from markupsafe import Markup
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.serializers.published_urls import canonical_home, section_place
from runtime.services import search
from runtime.services.html.writing import Heading
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.search_index.finding import Scope
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.contents import Contents, Link, Tree, contents_of, pages_above
from runtime.web.sites.documents import written
from runtime.web.sites.editing import edit_link
from runtime.web.sites.frame import THEMES, Look
from runtime.web.sites.icons import sign_of
from runtime.web.sites.layout import PageLayout, layout_of
from runtime.web.sites.markdown import ENDING
from runtime.web.sites.site_map import CONTENTS, SiteMap, SitePage, shown_pages
from runtime.web.sites.targets import SpaceTargets

SEARCH = "-/search"
MAX_QUERY = 256
"""Letters of what is searched for that are read."""
MAX_FOUND = 50
"""Pages that a search shows."""
DEEPEST_LISTED, MAX_HEADINGS = 2, 100
"""Levels and number of the headings that are listed beside a page."""


@dataclass(frozen=True, slots=True)
class FoundOnSite:
    """A page that was found, with parts of its text: each in pieces, and whether a piece was searched for."""

    title: str
    href: str
    excerpts: Sequence[Sequence[tuple[str, bool]]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A page of a site, or what a search found, with what stands around it."""

    title: str
    sign: Markup = field(default_factory=Markup)
    layout: PageLayout = field(default_factory=PageLayout)
    sections: Sequence[Link] = ()
    spaces: Sequence[Link] = ()
    tree: Sequence[Link] = ()
    outline: Sequence[Heading] = ()
    above: Sequence[str] = ()
    updated: datetime | None = None
    description: str | None = None
    html: Markup = field(default_factory=Markup)
    drawn: Mapping[str, str | None] = field(default_factory=dict)
    before: Link | None = None
    after: Link | None = None
    canonical: str | None = None
    markdown: str | None = None
    edit: tuple[str, str] | None = None
    page: str | None = None
    site_space: str | None = None
    place: str = ""
    listed: bool = True
    rated: bool = False
    contents: Contents | None = None
    query: str | None = None
    found: Sequence[FoundOnSite] = field(default_factory=tuple)


def reading_of(
    session: Session, site: SiteRow, look: Look, map_: SiteMap, shown: SitePage, home: str, at: Addresses
) -> Reading:
    """Write a page with all beside it; `home` is the address of the site as it was opened."""
    snapshot, part = map_.snapshot_of(shown.part), shown.part
    theme = look.scheme if look.scheme in THEMES else ""
    tabs = look.settings.external_links.target == "blank"
    page_ = written(session, map_, shown, home, at, theme=theme, tabs=tabs)
    targets = SpaceTargets(map_, part, home, at)
    layout = layout_of(shown.page, targets, look.scheme)
    paged = look.settings.pagination.enabled and layout.pagination
    before, after = _beside(snapshot, shown.page) if paged else (None, None)
    return Reading(
        title=shown.title,
        place=shown.place,
        sign=sign_of(shown.page),
        layout=layout,
        sections=_sections(map_, part, home),
        spaces=_spaces(map_, part, home),
        tree=Tree(map_, shown, home, targets).links() if layout.contents else (),
        outline=_outline(page_.outline) if layout.outline else (),
        above=[page.title for page in reversed(list(pages_above(snapshot, shown.page)))],
        description=shown.page.description,
        updated=_updated(shown.page) if layout.metadata else None,
        html=page_.html,
        drawn=page_.drawn,
        before=_link(map_, part, before, home),
        after=_link(map_, part, after, home),
        canonical=canonical_home(at, site) + shown.place,
        markdown=home + shown.place + ENDING if look.settings.page_actions.markdown else None,
        edit=edit_link(session, shown.space, shown.page) if look.settings.git.show_edit_link else None,
        page=shown.page.id,
        site_space=part.id,
        listed=not (shown.page.no_robots_index or shown.page.no_index),
        rated=look.settings.feedback.enabled,
    )


def search_of(session: Session, map_: SiteMap, query: str, home: str) -> Reading:
    """Search the site as far as it is there for its visitor."""
    ids = list(dict.fromkeys(part.space_id for part in map_.parts.spaces))
    wanted = query.strip()[:MAX_QUERY]
    hits = search.pages(session, Scope(ids, listed=True), wanted, None, MAX_FOUND).items if wanted and ids else ()
    found = []
    for hit in hits:
        place = map_.place_found(hit.row)
        if place is not None:
            found.append(
                FoundOnSite(hit.row.title, home + place, [_pieces(one.body, one.found) for one in hit.excerpts])
            )
    first = map_.parts.spaces[0] if map_.parts.spaces else None
    return Reading(
        title="Search",
        place=SEARCH,
        sections=_sections(map_, first, home) if first is not None else (),
        query=wanted,
        found=found,
        listed=False,
    )


def listing_of(map_: SiteMap, part: SiteSpaceRow, home: str, number: int) -> Reading:
    """List all pages of a space, one page of contents of them."""
    return Reading(
        title=f"Contents of {map_.space_of(part).title}",
        place=map_.start_of(part) + CONTENTS,
        sections=_sections(map_, part, home),
        spaces=_spaces(map_, part, home),
        contents=contents_of(map_, part, home, number),
        listed=False,
    )


def _outline(headings: Sequence[Heading]) -> list[Heading]:
    """List the headings that say where on a long page things are, each anchor once; nothing for a single one."""
    found = {one.anchor: one for one in reversed(headings) if one.level <= DEEPEST_LISTED and one.title.strip()}
    listed = list(reversed(found.values()))[:MAX_HEADINGS]
    return listed if len(listed) > 1 else []


def _updated(page: Page) -> datetime | None:
    return datetime.fromisoformat(page.updated_at) if page.updated_at is not None else None


def _pieces(body: str, found: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    pieces, done = [], 0
    for begin, end in found:
        pieces += [(body[done:begin], False), (body[begin:end], True)]
        done = end
    return [piece for piece in [*pieces, (body[done:], False)] if piece[0]]


def _sections(map_: SiteMap, part: SiteSpaceRow, home: str) -> list[Link]:
    return [
        Link(section.title, home + section_place(section), section.id == part.section_id)
        for section in map_.parts.sections
    ]


def _spaces(map_: SiteMap, part: SiteSpaceRow, home: str) -> list[Link]:
    """List the spaces beside one, where there are several."""
    beside = [one for one in map_.parts.spaces if one.section_id == part.section_id]
    if len(beside) < 2:
        return []
    return [Link(map_.space_of(one).title, home + map_.start_of(one), one.id == part.id) for one in beside]


def _beside(snapshot: Snapshot, page: Page) -> tuple[Page | None, Page | None]:
    """Give the pages that are read before and after one."""
    pages = list(shown_pages(snapshot))
    place = next(number for number, one in enumerate(pages) if one.id == page.id)
    return pages[place - 1] if place else None, pages[place + 1] if place + 1 < len(pages) else None


def _link(map_: SiteMap, part: SiteSpaceRow, page: Page | None, home: str) -> Link | None:
    return Link(page.title, home + map_.place_in(part, page)) if page is not None else None
