"""Where on a site its pages are for a visitor: which spaces are there, and what each address leads to.

Source: docs/contract/api.md, "Published content".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from sqlalchemy.orm import Session

from runtime.contract.conditions import ConditionEvaluator
from runtime.serializers.published_urls import space_place
from runtime.services import content
from runtime.services.published_lookup import sent_on
from runtime.services.published_places import LONGEST_PATH, Place, locate, visible_parts
from runtime.store import searching
from runtime.store.content.entries import Page
from runtime.store.content.revisions import entries_in, snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.search_index.finding import PageRow
from runtime.store.tables.site_structure import SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

CONTENTS = "-/contents"
"""What the address of a space ends with where all its pages are listed."""
BY_ID = ("-", "page")
"""What an address below a space begins with that names a page by its id."""
MAX_ENTRIES = 50_000
"""Pages, files and reusable contents after which no further space is read for links that lead into it, about."""


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of a space, and where it is on the site: `place` is what follows the site's address, as it is written."""

    place: str
    title: str
    part: SiteSpaceRow
    space: SpaceRow
    page: Page


@dataclass(frozen=True, slots=True)
class Computed:
    """What was computed for a visitor: the content of spaces by their ids, and documents by the ids of their pages."""

    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class SiteMap:
    """The pages of a site that are there for a visitor with these claims."""

    def __init__(
        self, session: Session, site: SiteRow, claims: Mapping[str, Any] | None, computed: Computed | None = None
    ) -> None:
        self._session, self._site, self.claims = session, site, claims or {}
        self.visitor = ConditionEvaluator(self.claims)
        self.parts = visible_parts(session, site, self.visitor)
        self._sections = {section.id: section for section in self.parts.sections}
        self._spaces = searching.contents(session, SpaceRow, [part.space_id for part in self.parts.spaces])
        self._snapshots: dict[str, Snapshot] = {}
        self._covered: dict[tuple[str, str], bool] = {}
        self._first: dict[str, Page | None] = {}
        self._entries_left = MAX_ENTRIES
        self.fill(computed or Computed())

    def fill(self, computed: Computed) -> None:
        """Take what was computed in the place of what the content says."""
        self.documents = computed.documents
        self._snapshots.update(computed.snapshots)
        self._first.clear()

    def part_at(self, place: str) -> SiteSpaceRow | None:
        """Find the part of the site in which a place is, whether or not there is a page."""
        located = locate(self.parts, _segments(place))
        return located.part if located is not None else None

    def listed_at(self, place: str) -> SiteSpaceRow | None:
        """Find the part of the site whose contents are at a place."""
        if not f"/{place}".endswith(f"/{CONTENTS}"):
            return None
        located = locate(self.parts, _segments(place.removesuffix(CONTENTS)))
        return located.part if located is not None and not located.rest else None

    def section_of(self, part: SiteSpaceRow) -> SiteSectionRow | None:
        """Give the section that a space is in, where the site has any."""
        return self._sections.get(part.section_id or "")

    def space_of(self, part: SiteSpaceRow) -> SpaceRow:
        """Give the space that stands in a part of the site."""
        space: SpaceRow = self._spaces[part.space_id]
        return space

    def start_of(self, part: SiteSpaceRow) -> str:
        """Give the place of a space, below which its pages are."""
        return space_place(part, self.section_of(part))

    def start_of_space(self, space_id: str) -> str | None:
        """Give the place of a space by its id; None for one that is not there for this visitor."""
        part = self._part_of(space_id)
        return self.start_of(part) if part is not None else None

    def snapshot_of(self, part: SiteSpaceRow) -> Snapshot:
        """Give what a space shows now."""
        known = self._snapshots.get(part.space_id)
        if known is None:
            revision = content.current(self._session, self.space_of(part))
            known = self._snapshots[part.space_id] = snapshot_of(self._session, revision)
        return known

    def pages(self) -> Iterator[SitePage]:
        """List all pages that are written, in the order of the site."""
        for part in self.parts.spaces:
            yield from self.pages_in(part)

    def pages_in(self, part: SiteSpaceRow) -> Iterator[SitePage]:
        """List the pages of one space that are written, in their order."""
        return (self._page(part, page) for page in shown_pages(self.snapshot_of(part)))

    def at(self, place: str) -> SitePage | None:
        """Find the page at a place; the place of a space, or of a group of pages, shows the first page in it."""
        located = locate(self.parts, _segments(place))
        if located is None:
            return None
        snapshot = self.snapshot_of(located.part)
        if not located.rest:
            page = next(iter(shown_pages(snapshot)), None)
        elif _names_page(located):
            page = snapshot.page_by_id.get(located.rest[2])
        else:
            page = snapshot.page_by_path.get("/".join(located.rest))
            if page is not None and page.type == "group":
                page = next(iter(_inside(snapshot, page)), None)
        if page is None or not _is_shown(snapshot, page):
            return None
        return self._page(located.part, page)

    def leads_on(self, place: str) -> str | None:
        """Give the place to which a redirect, a former path or the id of a page leads; None where a place is none.

        A page whose own place redirects elsewhere is shown at the address with its id, to avoid a redirect loop.
        """
        path = _segments(place)
        located = locate(self.parts, path)
        if located is None:
            return None
        if not _names_page(located):
            return sent_on(self._session, self._site, path, located, self.claims)
        named = self._place_in(located.part, located.rest[2])
        if named is None or _segments(named) == path or self.leads_on(named) is not None:
            return None
        return named

    def place_in(self, part: SiteSpaceRow, page: Page) -> str:
        """Give the place of a page that readers are shown in a part of the site.

        A page whose path begins as that of a section or of a space, which come first, is named by its id, unless it is
        what the place of its space shows. So is one whose path is too long for an address.
        """
        place = self._at_path(part, self.snapshot_of(part).path_of[page.id])
        if place is None:
            return self.start_of(part) if self._is_first(part, page) else self.place_by_id(part, page.id)
        return place

    def place_by_id(self, part: SiteSpaceRow, page_id: str) -> str:
        """Give the place that a page always has, and that leads on to the one that readers are shown."""
        return f"{self.start_of(part)}{'/'.join(BY_ID)}/{quote(page_id, safe='')}"

    def place_of(self, space_id: str, page_id: str, *, short: bool = False) -> str | None:
        """Give the place of a page, with `short` that by its id; None for one that is not there for this visitor.

        By its id is also named what is in a space too many to be read: its address tells whether it is there.
        """
        part = self._part_of(space_id)
        if part is None:
            return None
        if not self._may_read(part):
            return self.place_by_id(part, page_id)
        if not self._shows(part, page_id):
            return None
        return self.place_by_id(part, page_id) if short else self._place_in(part, page_id)

    def place_found(self, found: PageRow) -> str | None:
        """Give the place of a page that a search found; None for one that is not there for this visitor.

        What the index says of the current content is enough: no search reads whole spaces for a page of each.
        """
        part = self._part_of(found.space_id)
        if part is None:
            return None
        if found.revision != self.space_of(part).revision_id:
            return self._place_in(part, found.page_id) if self._may_read(part) else None
        return self._at_path(part, found.path) or self.place_by_id(part, found.page_id)

    def title_of(self, space_id: str, page_id: str) -> str | None:
        """Give the title of a page; None for one that is not there for this visitor, or in one space too many."""
        part = self._part_of(space_id)
        if part is None or not self._may_read(part) or not self._shows(part, page_id):
            return None
        return self.snapshot_of(part).page_by_id[page_id].title

    def _part_of(self, space_id: str) -> SiteSpaceRow | None:
        return next((part for part in self.parts.spaces if part.space_id == space_id), None)

    def _may_read(self, part: SiteSpaceRow) -> bool:
        """Tell whether the content of a space may be read for what leads into it: that may be many large ones."""
        if part.space_id in self._snapshots:
            return True
        if self._entries_left <= 0:
            return False
        self._entries_left -= entries_in(content.current(self._session, self.space_of(part)))
        return True

    def _at_path(self, part: SiteSpaceRow, path: str) -> str | None:
        """Give the place of a path in a part of the site; None where it leads elsewhere, or is too long."""
        start = self.start_of(part)
        quoted = quote(path, safe="/~") if len(path) <= LONGEST_PATH else path
        if len(quoted) > LONGEST_PATH or self._is_covered(part, start, path.partition("/")[0]):
            return None
        return start + quoted

    def _is_first(self, part: SiteSpaceRow, page: Page) -> bool:
        if part.id not in self._first:
            self._first[part.id] = next(iter(shown_pages(self.snapshot_of(part))), None)
        return self._first[part.id] == page

    def _is_covered(self, part: SiteSpaceRow, start: str, first: str) -> bool:
        """Tell whether what begins like this below a space leads to a section, or to another space."""
        known = self._covered.get((part.id, first))
        if known is None:
            located = locate(self.parts, [*_segments(start), first])
            known = located is None or located.part.id != part.id or list(located.rest) != [first]
            self._covered[part.id, first] = known
        return known

    def _place_in(self, part: SiteSpaceRow, page_id: str) -> str | None:
        snapshot = self.snapshot_of(part)
        page = snapshot.page_by_id.get(page_id)
        return self.place_in(part, page) if page is not None and _is_shown(snapshot, page) else None

    def _shows(self, part: SiteSpaceRow, page_id: str) -> bool:
        snapshot = self.snapshot_of(part)
        page = snapshot.page_by_id.get(page_id)
        return page is not None and _is_shown(snapshot, page)

    def _page(self, part: SiteSpaceRow, page: Page) -> SitePage:
        return SitePage(self.place_in(part, page), page.title, part, self.space_of(part), page)


def shown_pages(snapshot: Snapshot) -> Iterable[Page]:
    """List the pages that are written and that readers are shown, in the order in which they are read."""
    return (page for page in snapshot.pages if _is_shown(snapshot, page))


def _is_shown(snapshot: Snapshot, page: Page) -> bool:
    return page.type == "document" and page.id not in snapshot.hidden and page.id in snapshot.path_of


def _inside(snapshot: Snapshot, group: Page) -> Iterator[Page]:
    """List the shown pages in a group, at any depth, in order."""
    within = {group.id}
    for page in snapshot.pages:  # parents stand before what is in them
        if page.parent in within:
            within.add(page.id)
            if _is_shown(snapshot, page):
                yield page


def _names_page(located: Place) -> bool:
    return tuple(located.rest[:2]) == BY_ID and len(located.rest) == 3


def _segments(place: str) -> Sequence[str]:
    return [unquote(segment) for segment in place.split("/") if segment]
