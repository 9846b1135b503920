"""Where references lead for readers of a site: only to what is there for them."""

from __future__ import annotations

from urllib.parse import quote

from runtime.contract.addresses import Addresses
from runtime.serializers.file_urls import address_of
from runtime.services.html.targets import Ref
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.web.sites.site_map import SiteMap

SHORT = 50
"""Characters of titles that are shown once those of a page are too long together."""
MAX_NAMED = 2_000_000
"""Characters of the addresses and titles that the links of one page show: thousands may name one with a long path."""


class SpaceTargets:
    """What references mean in a space of the site, or in none: pages and files are then named with their space."""

    def __init__(self, map_: SiteMap, part: SiteSpaceRow | None, home: str, at: Addresses) -> None:
        """`home` is the address of the site as it was opened."""
        self._map, self._at, self.home = map_, at, home
        self._left = MAX_NAMED
        self._space_id = part.space_id if part is not None else ""
        self._snapshot = map_.snapshot_of(part) if part is not None else None

    def href(self, ref: Ref) -> str | None:
        """Return the address of a space or page of the site, of a file, or an external one.

        Once the addresses and titles on a page are too long together, pages are named by their ids, and files not.
        """
        if ref.get("kind") == "url":
            return str(ref.get("url") or "") or None
        short = self._left <= 0
        if short and ref.get("kind") == "file":
            return None
        href = self._address(ref, short=short)
        self._left -= len(href or "")
        return href

    def _address(self, ref: Ref, *, short: bool) -> str | None:
        kind = ref.get("kind")
        if kind == "file":
            file = self._snapshot.file_by_id.get(str(ref.get("file"))) if self._snapshot is not None else None
            return address_of(self._at, self._space_id, file) if file is not None else None
        if kind == "space":
            start = self._map.start_of_space(str(ref.get("space")))
            return f"{self.home}{start}" if start is not None else None
        if kind not in ("page", "anchor"):
            return None
        anchor = f"#{quote(str(ref['anchor']))}" if ref.get("anchor") else ""
        page_id, space_id = ref.get("page"), ref.get("space") or self._space_id
        if page_id is None:
            return anchor or None
        place = self._map.place_of(str(space_id), str(page_id), short=short)
        return f"{self.home}{place}{anchor}" if place is not None else None

    def image(self, ref: Ref) -> str | None:
        """Show a file of the space, or a picture of the web."""
        url = self.href(ref)
        return url if url is not None and url.startswith(("http://", "https://")) else None

    def title(self, ref: Ref) -> str | None:
        """Say what a page or a file is called; a page that is hidden says nothing of itself."""
        title = self._title(ref)
        if title is not None and self._left <= 0:
            title = title[:SHORT]
        self._left -= len(title or "")
        return title

    def _title(self, ref: Ref) -> str | None:
        snapshot = self._snapshot
        if ref.get("kind") == "file":
            file = snapshot.file_by_id.get(str(ref.get("file"))) if snapshot is not None else None
            return file.name if file is not None else None
        space_id = str(ref.get("space") or self._space_id)
        if snapshot is None or space_id != self._space_id:
            return self._map.title_of(space_id, str(ref.get("page")))
        page = snapshot.page_by_id.get(str(ref.get("page")))
        return page.title if page is not None and page.id not in snapshot.hidden else None


def leads_away(href: str, home: str) -> bool:
    """Tell whether an address is of another site."""
    return href.startswith(("http://", "https://")) and not f"{href}/".startswith(home)
