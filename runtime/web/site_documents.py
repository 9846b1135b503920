"""Pages of a site's spaces as readers see them where the preview is served: text, with blocks drawn in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.inclusions import Inclusions
from runtime.serializers.file_urls import address_of
from runtime.services import content, visiting
from runtime.services.expressions import evaluated
from runtime.services.html.formulas import Formulas
from runtime.services.html.targets import Ref
from runtime.services.html.writing import html_of
from runtime.store.content.entries import Page
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

BELOW = "docs"
"""What the places of these pages begin with."""
MAX_PAGES = 300
"""Pages of all spaces that a site lists."""


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of a space, and where it is on the site: `place` is what follows the site's address."""

    place: str
    title: str
    space: SpaceRow
    revision: RevisionRow
    page: Page


def pages_of(session: Session, site: SiteRow, claims: Mapping[str, Any] | None) -> list[SitePage]:
    """List the pages that are there for a visitor, in the order of the site's spaces."""
    return [page for page, _ in zip(_pages(session, site, claims), range(MAX_PAGES), strict=False)]


def _pages(session: Session, site: SiteRow, claims: Mapping[str, Any] | None) -> Iterator[SitePage]:
    for number, space in enumerate(visiting.spaces_of(session, site, claims)):
        revision = content.current(session, space)
        snapshot = snapshot_of(session, revision)
        for page in snapshot.pages:
            if page.type == "document" and page.id not in snapshot.hidden and page.id in snapshot.path_of:
                yield SitePage(_place(number, snapshot.path_of[page.id]), page.title, space, revision, page)


def moved_to(session: Session, site: SiteRow, claims: Mapping[str, Any] | None, place: str) -> str | None:
    """Follow a former path of a page to its place on the site now; None where it is none."""
    below, _, rest = unquote(place).strip("/").partition("/")
    number, _, path = rest.partition("/")
    spaces = visiting.spaces_of(session, site, claims)
    if below != BELOW or not re.fullmatch("[1-9][0-9]{0,5}", number) or int(number) > len(spaces):
        return None
    snapshot = snapshot_of(session, content.current(session, spaces[int(number) - 1]))
    page = snapshot.page_by_former_path.get(path)
    if page is None or page.type != "document" or page.id in snapshot.hidden:
        return None
    return _place(int(number) - 1, snapshot.path_of[page.id])


def _place(number: int, path: str) -> str:
    return quote("/".join((BELOW, str(number + 1), path)))


def html_of_page(session: Session, shown: SitePage, pages: list[SitePage], home: str, at: Addresses) -> Markup:
    """Write a page; `endpoints` of the blocks in it are asked where the site answers renders."""
    document = content.document_of(session, shown.space.id, shown.page.document)
    snapshot = snapshot_of(session, shown.revision)
    filled = evaluated(document, snapshot.variables, shown.page.variables or {})
    return Markup(
        html_of(filled, _SiteTargets(session, shown, snapshot, pages, home, at))
    )  # every text in it is escaped


class _SiteTargets:
    def __init__(
        self,
        session: Session,
        shown: SitePage,
        snapshot: Snapshot,
        pages: list[SitePage],
        home: str,
        at: Addresses,
    ) -> None:
        self._session, self._shown, self._snapshot = session, shown, snapshot
        self._pages, self._home, self._at = pages, home, at
        self._inclusions = Inclusions()
        self._formulas = Formulas()

    def href(self, ref: Ref) -> str | None:
        """Return the address of a page of the site, of a file, or an external one."""
        kind = ref.get("kind")
        if kind == "url":
            return str(ref.get("url") or "") or None
        if kind == "file":
            file = self._snapshot.file_by_id.get(str(ref.get("file")))
            return address_of(self._at, self._shown.space.id, file) if file is not None else None
        if kind not in ("page", "anchor"):
            return None
        anchor = f"#{quote(str(ref['anchor']))}" if ref.get("anchor") else ""
        page_id, space_id = ref.get("page"), ref.get("space", self._shown.space.id)
        if page_id is None:
            return anchor or None
        place = next((one.place for one in self._pages if one.page.id == page_id and one.space.id == space_id), None)
        return f"{self._home}{place}{anchor}" if place is not None else None

    def image(self, ref: Ref) -> str | None:
        """Show a file of the space, or a picture of the web."""
        url = self.href(ref)
        return url if url is not None and url.startswith(("http://", "https://")) else None

    def title(self, ref: Ref) -> str | None:
        """Say what a page or a file is called; a page that is hidden says nothing of itself."""
        if ref.get("kind") == "file":
            file = self._snapshot.file_by_id.get(str(ref.get("file")))
            return file.name if file is not None else None
        page = self._snapshot.page_by_id.get(str(ref.get("page")))
        return page.title if page is not None and page.id not in self._snapshot.hidden else None

    def anchor(self, name: str) -> str:
        """Anchors are as they are written."""
        return name

    def formula(self, tex: str, *, display: bool) -> str | None:
        """Return a formula as MathML, which browsers draw."""
        return self._formulas.mathml(tex, display=display)

    def block(self, node: Mapping[str, Any]) -> str | None:
        """Draw a block of an integration, or include a content."""
        data = node.get("data")
        data = data if isinstance(data, dict) else {}
        if node.get("type") == "integration":
            return self._drawn(str(data.get("integration")), str(data.get("block")), data.get("props"))
        if node.get("type") != "reusable-content":
            return None
        ref = data.get("ref")
        reusable = self._snapshot.reusable_content_by_id.get(str(ref.get("reusableContent") if ref else ""))
        if reusable is None:
            return ""
        with self._inclusions.of(reusable.id) as allowed:
            if not allowed:
                return ""
            document = content.document_of(self._session, self._shown.space.id, reusable.document)
            return self._inclusions.fits(html_of(document, self))

    def _drawn(self, integration: str, block: str, props: Any) -> str:
        context = {"type": "document", "spaceId": self._shown.space.id, "editable": False}
        attributes = {
            "src": f"{self._home}-/render/{quote(integration, safe='')}",
            "component": block,
            "endpoint": self._at.integration(integration),
            "context": json.dumps(context),
            "props": json.dumps(props if isinstance(props, dict) else {}),
        }
        said = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
        return f"<content-kit {said}></content-kit>"
