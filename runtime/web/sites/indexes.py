"""What programs read of a site: a sitemap for search engines, and `llms.txt` for assistants.

Sources: sitemaps.org for the first, llmstxt.org for the second. Both list what the reader who asks is shown, except for
pages that their authors keep from search.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from xml.sax.saxutils import escape

from runtime.contract.addresses import Addresses
from runtime.serializers.published_urls import canonical_home
from runtime.services.markdown.escaping import in_markdown
from runtime.store.content.entries import Page
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.markdown import ENDING
from runtime.web.sites.site_map import SiteMap, SitePage, shown_pages

SITEMAP, PAGES, LLMS = "sitemap.xml", "sitemap-pages.xml", "llms.txt"
"""What the addresses of the indexes end with; a page of that name goes first."""
MAX_URLS = 50_000
"""Addresses in one sitemap, as the format has it."""
MAX_CHARACTERS = 10_000_000
"""Characters of an index; a sitemap may have 50 MB."""
MAX_LISTED = 2000
"""Pages in the `llms.txt` of a site; further spaces are listed with an `llms.txt` of their own."""
MAX_READ = 20_000
"""Pages that are looked at for it, since most may be kept from search; about, because spaces are read whole."""
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
XML, TEXT = "application/xml", "text/plain"


def index_at(map_: SiteMap, site: SiteRow, place: str, home: str, at: Addresses, *, markdown: bool) -> str | None:
    """Write the index at a place; None where there is none.

    Only public sites have sitemaps, and only sites whose owners let agents in an `llms.txt`; its links lead to the
    Markdown of pages where `markdown` says that there is any.
    """
    before, _, name = place.rpartition("/")
    part = _space_at(map_, before + "/" if before else "")
    base = canonical_home(at, site)
    if not _offers(site, name):
        return None
    if name == SITEMAP and not before:
        return _sitemaps(map_, base)
    if name == PAGES and part is not None:
        return _sitemap(map_, part, base)
    if name == LLMS and (part is not None or not before):
        parts = [part] if part is not None and before else map_.parts.spaces
        return "".join(_listing(map_, site.title, parts, home, ENDING if markdown else ""))
    return None


def is_index(place: str) -> bool:
    """Tell whether an address ends as that of an index."""
    return place.rpartition("/")[2] in (SITEMAP, PAGES, LLMS)


def parts_listed(map_: SiteMap, site: SiteRow, place: str) -> list[SiteSpaceRow]:
    """Give the spaces whose pages the index at a place may list, the first one first; none where it lists no pages.

    What sources compute only adds to what is counted here, so an index never lists pages of a space that is not named.
    """
    name = place.rpartition("/")[2]
    if name == SITEMAP or not _offers(site, name):
        return []
    if place == LLMS:
        room = _Room()
        return list(takewhile(lambda part: room.takes(map_, part), map_.parts.spaces))
    part = _space_at(map_, place.removesuffix(name))
    return [part] if part is not None else []


def type_of(place: str) -> str:
    """Give the media type of the index at a place."""
    return XML if place.endswith(".xml") else TEXT


def _offers(site: SiteRow, name: str) -> bool:
    if name == LLMS:
        return bool(site.agents_context == "included")
    return name in (SITEMAP, PAGES) and bool(site.visibility == "public")


def _space_at(map_: SiteMap, start: str) -> SiteSpaceRow | None:
    return next((part for part in map_.parts.spaces if map_.start_of(part) == start), None)


class _Room:
    """What of a site's `llms.txt` is left for the pages of further spaces: those that find none are not read."""

    def __init__(self) -> None:
        self._listed, self._read = MAX_LISTED, MAX_READ

    def takes(self, map_: SiteMap, part: SiteSpaceRow) -> bool:
        """Tell whether the pages of a space are listed, and count them."""
        if self._listed <= 0 or self._read <= 0:
            return False
        snapshot = map_.snapshot_of(part)
        self._read -= len(snapshot.pages)
        self._listed -= sum(map(_is_indexed, shown_pages(snapshot)))
        return True


def _is_indexed(page: Page) -> bool:
    return not (page.no_index or page.no_robots_index)


def _indexed(map_: SiteMap, part: SiteSpaceRow) -> Iterator[SitePage]:
    return (shown for shown in map_.pages_in(part) if _is_indexed(shown.page))


def _sitemaps(map_: SiteMap, base: str) -> str:
    places = "".join(
        f"<sitemap><loc>{escape(base + map_.start_of(part) + PAGES)}</loc></sitemap>\n" for part in map_.parts.spaces
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{NAMESPACE}">\n{places}</sitemapindex>\n'


def _sitemap(map_: SiteMap, part: SiteSpaceRow, base: str) -> str:
    lines: list[str] = []
    left = MAX_CHARACTERS
    for shown in _indexed(map_, part):
        changed = f"<lastmod>{shown.page.updated_at}</lastmod>" if shown.page.updated_at is not None else ""
        lines.append(f"<url><loc>{escape(base + shown.place)}</loc>{changed}</url>\n")
        left -= len(lines[-1])
        if len(lines) == MAX_URLS or left <= 0:
            break
    urls = "".join(lines)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NAMESPACE}">\n{urls}</urlset>\n'


def _listing(map_: SiteMap, title: str, parts: list[SiteSpaceRow], home: str, ending: str) -> Iterator[str]:
    yield f"# {_line(title)}\n"
    room, characters = _Room(), MAX_CHARACTERS
    for part in parts:
        name = _line(_name_of(map_, part))
        if not room.takes(map_, part) and len(parts) > 1:
            yield f"\n## {name}\n\n- [All pages]({home}{map_.start_of(part)}{LLMS})\n"
            continue
        yield f"\n## {name}\n\n"
        for shown in _indexed(map_, part):
            about = f": {_line(shown.page.description)}" if shown.page.description else ""
            line = f"- [{_line(shown.title)}]({home}{shown.place}{ending}){about}\n"
            characters -= len(line)
            if characters <= 0:
                return
            yield line


def _name_of(map_: SiteMap, part: SiteSpaceRow) -> str:
    section = map_.section_of(part)
    title: str = map_.space_of(part).title
    return title if section is None or section.title == title else f"{section.title}: {title}"


def _line(text: str) -> str:
    return in_markdown(" ".join(text.split()), False)
