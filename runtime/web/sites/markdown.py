"""A page of a site as Markdown, for the reader who asks: with what the page includes, and without what it hides."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.inclusions import Inclusions
from runtime.services import content
from runtime.services.expressions import ReaderOfDocuments
from runtime.services.markdown.links import IdLinks, is_safe
from runtime.services.markdown.writing import markdown_of
from runtime.store.content.snapshot import Snapshot
from runtime.web.sites.site_map import SiteMap, SitePage
from runtime.web.sites.targets import SpaceTargets

ENDING = ".md"
"""What follows the address of a page where it is Markdown."""
Node = Mapping[str, Any]


class SiteLinks(IdLinks):
    """Writes links as addresses of the site; a link that leads nowhere for the reader has none."""

    def __init__(self, targets: SpaceTargets) -> None:
        """Take where references lead."""
        self._targets = targets

    def write(self, ref: dict[str, Any]) -> str:
        """Write a reference as an address."""
        href = self._targets.href(ref) or ""
        return href if is_safe({"kind": "url", "url": href}) else ""


def markdown_page(session: Session, map_: SiteMap, shown: SitePage, home: str, at: Addresses) -> str:
    """Write a page with its title and its description."""
    snapshot = map_.snapshot_of(shown.part)
    document = map_.documents.get(shown.page.id)
    if document is None:
        document = content.document_of(session, shown.space.id, shown.page.document)
    reader = ReaderOfDocuments(map_.claims, snapshot.variables, shown.page.variables or {})
    expanding = _Expanding(session, map_, shown, snapshot)
    nodes = expanding.nodes(reader.evaluated(document)["nodes"])
    above = [_said("heading-1", shown.title)]
    if shown.page.description:
        above.append(_said("paragraph", shown.page.description))
    links = SiteLinks(SpaceTargets(map_, shown.part, home, at))
    return "\n".join([markdown_of({"nodes": above}), markdown_of({"nodes": nodes}, links, top=2)])


class _Expanding:
    """Puts reusable contents in their place, as far as one page may include them."""

    def __init__(self, session: Session, map_: SiteMap, shown: SitePage, snapshot: Snapshot) -> None:
        self._session, self._space_id, self._snapshot = session, shown.space.id, snapshot
        self._inclusions = Inclusions()
        self._reader = ReaderOfDocuments(map_.claims, snapshot.variables, {})

    def nodes(self, nodes: Sequence[Node]) -> list[Any]:
        """Expand a list of nodes."""
        return [one for node in nodes for one in self._node(node)]

    def _node(self, node: Node) -> Sequence[Any]:
        if node.get("type") == "reusable-content":
            return self._included(node)
        if node.get("type") == "if":
            return self.nodes(node.get("nodes", ()))  # the condition holds for this reader
        changed = {key: self.nodes(node[key]) for key in ("nodes", "fragments") if key in node}
        return [{**node, **changed} if changed else node]

    def _included(self, node: Node) -> Sequence[Any]:
        data = node.get("data")
        ref = data.get("ref") if isinstance(data, Mapping) else None
        named = ref.get("reusableContent") if isinstance(ref, Mapping) else None
        reusable = self._snapshot.reusable_content_by_id.get(str(named))
        if reusable is None:
            return ()
        with self._inclusions.of(reusable.id) as allowed:
            if not allowed:
                return ()
            document = content.document_of(self._session, self._space_id, reusable.document)
            inner = self.nodes(self._reader.evaluated(document)["nodes"])
            return inner if self._inclusions.fits(json.dumps(inner)) else ()


def _said(type_: str, text: str) -> dict[str, Any]:
    leaf = {"object": "leaf", "text": " ".join(text.split()), "marks": []}
    return {"object": "block", "type": type_, "data": {}, "nodes": [{"object": "text", "leaves": [leaf]}]}
