"""Pages of a site's spaces as readers see them: text, with a place for each block that an integration draws."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.inclusions import Inclusions
from runtime.dispatch.planning import policy_header
from runtime.services import content
from runtime.services.expressions import ReaderOfDocuments
from runtime.services.html.coloring import Coloring
from runtime.services.html.formulas import Formulas
from runtime.services.html.writing import Heading, html_of
from runtime.store import rows, searching
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.web.sites.icons import icon
from runtime.web.sites.site_map import SiteMap, SitePage
from runtime.web.sites.targets import SpaceTargets, leads_away

OF_NOTES = ("note ", "annotated ")
"""Prefixes of the anchors of notes; no heading's anchor starts with one, because those contain no spaces."""


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """What a page says as HTML; `drawn` are the integrations whose blocks are in it, each with its policy."""

    html: Markup
    drawn: Mapping[str, str | None]
    outline: Sequence[Heading] = ()


def written(
    session: Session,
    map_: SiteMap,
    shown: SitePage,
    home: str,
    at: Addresses,
    *,
    theme: str = "",
    tabs: bool = False,
) -> WrittenPage:
    """Write a page, with a placeholder for each integration block; the browser requests what the block shows."""
    document = map_.documents.get(shown.page.id)
    if document is None:
        document = content.document_of(session, shown.space.id, shown.page.document)
    reader = ReaderOfDocuments(map_.claims, map_.snapshot_of(shown.part).variables, shown.page.variables or {})
    filled = reader.evaluated(document)
    targets = SiteTargets(session, map_, shown, home, at, theme=theme, tabs=tabs)
    outline: list[Heading] = []
    html = Markup(html_of(filled, targets, outline=outline))  # every text in it is escaped
    drawn = {one.name: policy_header(one) for one in targets.drawn.values() if one is not None}
    return WrittenPage(html, drawn, outline)


class SiteTargets(SpaceTargets):
    """What a page of the site refers to, for its readers, and what only a site can draw.

    `drawn` are the integrations that blocks name, None for those that are not active on the space: they draw nothing.
    `theme` is the one that blocks are drawn in, empty where the reader's system decides. With `tabs`, links to other
    sites open a tab of their own.
    """

    def __init__(
        self,
        session: Session,
        map_: SiteMap,
        shown: SitePage,
        home: str,
        at: Addresses,
        *,
        theme: str = "",
        tabs: bool = False,
    ) -> None:
        super().__init__(map_, shown.part, home, at)
        self._session, self._shown, self._theme, self._tabs = session, shown, theme, tabs
        self._content = map_.snapshot_of(shown.part)
        self._reader = ReaderOfDocuments(map_.claims, self._content.variables, {})
        self.drawn: dict[str, IntegrationRow | None] = {}
        self._inclusions = Inclusions()
        self._included = self._inclusion = 0
        self._formulas = Formulas()
        self._coloring = Coloring()

    def icon(self, name: str) -> str:
        """Draw an icon, as before the titles of pages."""
        return str(icon(name).strip())

    def leaves(self, href: str) -> bool:
        """Return whether the site wants a tab for a link that leads away."""
        return self._tabs and leads_away(href, self.home)

    def anchor(self, name: str) -> str:
        """Return an anchor as it is, but make the anchors of notes unique for each inclusion of reusable content."""
        return f"{name} {self._included}" if self._included and name.startswith(OF_NOTES) else name

    def formula(self, tex: str, *, display: bool) -> str | None:
        """Return a formula as MathML, which browsers draw."""
        return self._formulas.mathml(tex, display=display)

    def colored(self, code: str, syntax: str) -> str:
        """Color code while there is time."""
        return self._coloring.html(code, syntax)

    def block(self, node: Mapping[str, Any]) -> str | None:
        """Draw a block of an integration, or include a content."""
        data = node.get("data")
        data = data if isinstance(data, dict) else {}
        if node.get("type") == "integration":
            return self._drawn(str(data.get("integration")), str(data.get("block")), data.get("props"))
        if node.get("type") != "reusable-content":
            return None
        ref = data.get("ref")
        named = ref.get("reusableContent") if isinstance(ref, dict) else None
        reusable = self._content.reusable_content_by_id.get(str(named))
        if reusable is None:
            return ""
        with self._inclusions.of(reusable.id) as allowed:
            if not allowed:
                return ""
            document = content.document_of(self._session, self._shown.space.id, reusable.document)
            filled = self._reader.evaluated(document)
            outer = self._included
            self._inclusion += 1
            self._included = self._inclusion
            html = html_of(filled, self)
            self._included = outer
            return self._inclusions.fits(html)

    def _is_active(self, name: str) -> bool:
        if name not in self.drawn:
            row = rows.find(self._session, HOST, IntegrationRow, name=name)
            active = row is not None and searching.is_active_on_space(self._session, row.id, self._shown.space)
            self.drawn[name] = row if active else None
        return self.drawn[name] is not None

    def _drawn(self, integration: str, block: str, props: Any) -> str:
        if not self._is_active(integration):
            return ""
        context = {"type": "document", "spaceId": self._shown.space.id, "editable": False}
        attributes = {
            "src": f"{self.home}-/render/{quote(integration, safe='')}",
            "component": block,
            "endpoint": self._at.integration(integration),
            "context": json.dumps(context),
            "props": json.dumps(props if isinstance(props, dict) else {}),
            **({"theme": self._theme} if self._theme else {}),
        }
        said = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
        return f"<content-kit {said}></content-kit>"
