"""The pages of a space as readers get them: the nearest ones beside each page, and all of them on pages of contents.

A space may have 20,000 pages. A list of all of them beside each would be most of what a browser loads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup

from runtime.services.markdown.links import is_safe
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.web.sites.icons import sign_of
from runtime.web.sites.site_map import CONTENTS, SiteMap, SitePage, shown_pages
from runtime.web.sites.targets import SpaceTargets

LONGEST = 60
"""Pages beside each other that are listed whole; of more, those nearest to the page that is shown."""
AROUND = 20
"""Pages that are then listed before and after it."""
SPARE = 200
"""Pages that are listed together of all groups that do not have the page that is shown."""
AT_ONCE = 500
"""Pages on one page of contents."""


@dataclass(frozen=True, slots=True)
class Link:
    """Somewhere to go on the site; without `href` it is only a heading."""

    title: str
    href: str | None
    current: bool = False
    below: Sequence[Link] = ()
    sign: Markup = field(default_factory=Markup)
    more: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A page in the contents; `above` are the titles of the pages that it is in."""

    link: Link
    above: Sequence[str]


@dataclass(frozen=True, slots=True)
class Contents:
    """A part of the contents of a space; `first` is the number of the first page that is listed, `many` of all."""

    listed: Sequence[Listed]
    first: int
    many: int
    before: str | None
    after: str | None


class Tree:
    """The pages of a space as a list beside the one that is shown."""

    def __init__(self, map_: SiteMap, shown: SitePage, home: str, targets: SpaceTargets) -> None:
        """`home` is the address of the site as it was opened."""
        self._map, self._shown, self._home, self._targets = map_, shown, home, targets
        self._snapshot = map_.snapshot_of(shown.part)
        self._way = {shown.page.id, *(page.id for page in pages_above(self._snapshot, shown.page))}
        self._spare = SPARE

    def links(self) -> list[Link]:
        """List the nearest pages: those beside the one that is shown, those in it, and those on the way to it."""
        return self._inside(None, on_way=True)

    def _inside(self, parent: str | None, *, on_way: bool) -> list[Link]:
        snapshot = self._snapshot
        pages = [
            page
            for page in snapshot.children.get(parent, ())
            if page.id not in snapshot.hidden and page.type != "computed"
        ]
        begin, end = self._window(pages) if on_way else (0, min(len(pages), LONGEST, self._spare))
        if not on_way:
            self._spare -= end
        links = [link for page in pages[begin:end] if (link := self._link(page)) is not None]
        before = [self._more(begin, pages[begin - 1])] if begin else []
        return [*before, *links, *([self._more(len(pages) - end, pages[end])] if end < len(pages) else [])]

    def _window(self, pages: Sequence[Page]) -> tuple[int, int]:
        if len(pages) <= LONGEST:
            return 0, len(pages)
        at = next((number for number, page in enumerate(pages) if page.id in self._way), AROUND)
        return max(0, at - AROUND), min(len(pages), at + AROUND + 1)

    def _link(self, page: Page) -> Link | None:
        on_way = page.id in self._way
        below = self._inside(page.id, on_way=on_way) if on_way or page.type == "group" else ()
        link = Link(page.title, self._href(page), page.id == self._shown.page.id, below, sign_of(page))
        return link if link.href is not None or link.below else None

    def _more(self, many: int, page: Page) -> Link:
        number = self._before[page.id] // AT_ONCE + 1
        title = f"{many:,} more {'page' if many == 1 else 'pages'}"
        return Link(title, address_of(self._map, self._shown.part, self._home, number), more=True)

    @cached_property
    def _before(self) -> Mapping[str, int]:
        """How many pages the contents list before each page."""
        listed = {page.id for page in shown_pages(self._snapshot)}
        numbers: dict[str, int] = {}
        many = 0
        for page in self._snapshot.pages:
            numbers[page.id] = many
            many += page.id in listed
        return {page_id: min(number, max(0, many - 1)) for page_id, number in numbers.items()}

    def _href(self, page: Page) -> str | None:
        if page.type == "link" and page.target is not None:
            href = self._targets.href(page.target)
            return href if href is not None and is_safe({"kind": "url", "url": href}) else None
        return self._home + self._map.place_in(self._shown.part, page) if page.type == "document" else None


def contents_of(map_: SiteMap, part: SiteSpaceRow, home: str, number: int) -> Contents:
    """List all pages of a space, so many at once; a number that is none gives the nearest."""
    snapshot = map_.snapshot_of(part)
    pages = list(shown_pages(snapshot))
    last = max(1, -(-len(pages) // AT_ONCE))
    number = max(1, min(last, number))
    first = (number - 1) * AT_ONCE
    listed = [
        Listed(
            Link(page.title, home + map_.place_in(part, page), sign=sign_of(page)),
            [one.title for one in reversed(list(pages_above(snapshot, page)))],
        )
        for page in pages[first : first + AT_ONCE]
    ]
    before = address_of(map_, part, home, number - 1) if number > 1 else None
    after = address_of(map_, part, home, number + 1) if number < last else None
    return Contents(listed, first + 1, len(pages), before, after)


def address_of(map_: SiteMap, part: SiteSpaceRow, home: str, number: int) -> str:
    """Give the address of one page of the contents of a space."""
    return f"{home}{map_.start_of(part)}{CONTENTS}" + (f"?page={number}" if number > 1 else "")


def pages_above(snapshot: Snapshot, page: Page) -> Iterator[Page]:
    """List the pages a page is in, the innermost first."""
    parent = page.parent
    while parent is not None:
        holder = snapshot.page_by_id[parent]
        yield holder
        parent = holder.parent
