"""Content of spaces: the lists of a revision as the contract shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.change_requests import ChangeRequest
from runtime.contract.content import GitCommit, Revision, RevisionFile, RevisionReusableContent, RevisionUrls
from runtime.serializers.change_requests import change_requests
from runtime.serializers.file_urls import address_of
from runtime.serializers.published_urls import SCRIPTS, shown_places
from runtime.serializers.view import View
from runtime.store.content.entries import HOLDS_PAGES, File, Page, ReusableContent
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

LAYOUT: Mapping[str, Any] = {
    "width": "default",
    "coverSize": "full",
    "title": True,
    "description": True,
    "tableOfContents": True,
    "outline": True,
    "pagination": True,
    "metadata": True,
}
"""How a page is laid out that says nothing else; a cover is shown where there is one."""
_FLAGS = (("hidden", "hidden"), ("no_index", "noIndex"), ("no_robots_index", "noRobotsIndex"))
_TEXTS = (("emoji", "emoji"), ("icon", "icon"), ("created_at", "createdAt"), ("updated_at", "updatedAt"))


def revisions(
    view: View, rows: Sequence[RevisionRow], snapshots: Sequence[Snapshot], *, metadata: bool
) -> list[Revision]:
    """Show revisions, whole."""
    metadata = metadata and view.reach.kind != "visitor"
    return [
        _revision(
            view,
            row,
            urls,
            metadata=metadata,
            pages=PageTree(view.at, row.space_id, snapshot, metadata=metadata).inside(None),
            files=[file(view.at, row.space_id, one, metadata=metadata) for one in snapshot.files],
            reusable_contents=[reusable_content(content, metadata=metadata) for content in snapshot.reusable_contents],
            variables=dict(snapshot.variables) or MISSING,
        )
        for row, snapshot, urls in zip(rows, snapshots, _urls(view, rows), strict=True)
    ]


def revision_alone(view: View, row: RevisionRow) -> Revision:
    """Show a revision as if nothing were in it: for references, which would repeat whole revisions."""
    urls = RevisionUrls(app=_in_app(view, row))
    return _revision(view, row, urls, metadata=False, pages=[], files=[], reusable_contents=[])


def _urls(view: View, rows: Sequence[RevisionRow]) -> list[RevisionUrls]:
    """Return the addresses of revisions; the current one of a space is published where the space is.

    Scripts that read content need not be allowed to read of sites: they learn public addresses alone.
    """
    spaces = view.at_hand(SpaceRow, {row.space_id for row in rows})
    current = {row.id for row in rows} & {space.revision_id for space in spaces.values()}
    places = shown_places(view, [space for space in spaces.values() if space.revision_id in current])
    if view.reach.kind in SCRIPTS:
        places = {space_id: place for space_id, place in places.items() if place.public}
    found = [places.get(row.space_id) if row.id in current else None for row in rows]
    return [
        RevisionUrls(
            app=_in_app(view, row),
            published=place.url if place is not None else MISSING,
            public=place.url if place is not None and place.public else MISSING,
        )
        for row, place in zip(rows, found, strict=True)
    ]


def _in_app(view: View, row: RevisionRow) -> str:
    return view.at.app("spaces", row.space_id, "revisions", row.id)


def _revision(view: View, row: RevisionRow, urls: RevisionUrls, *, metadata: bool, **lists: Any) -> Revision:
    return Revision(
        id=row.id,
        # What a merge came from is for who works on the space.
        type=row.type if view.reach.kind != "visitor" else "edits",  # type: ignore[arg-type]
        parents=row.parents,
        **lists,
        created_at=row.created_at,
        merged_from=merged_from(view, row) or MISSING,
        git=GitCommit(**row.git) if metadata and row.git is not None else MISSING,
        urls=urls,
    )


def merged_from(view: View, row: RevisionRow) -> ChangeRequest | None:
    """Show the change request that a merge came from; None for other revisions, and to visitors."""
    if row.merged_from is None or view.reach.kind == "visitor":
        return None
    found = view.by_id(ChangeRequestRow, [row.merged_from])
    return next(iter(change_requests(view, list(found.values()))), None)


def file(at: Addresses, space_id: str, one: File, *, metadata: bool) -> RevisionFile:
    """Show a file, with the address of its bytes."""
    return RevisionFile(
        id=one.id,
        name=one.name,
        content_type=one.content_type,
        downloadURL=address_of(at, space_id, one),
        size=one.size,
        dimensions=dict(one.dimensions) if one.dimensions is not None else MISSING,
        git=dict(one.git) if metadata and one.git is not None else MISSING,
    )


def reusable_content(content: ReusableContent, *, metadata: bool) -> RevisionReusableContent:
    """Show a reusable content."""
    return RevisionReusableContent(
        id=content.id,
        title=content.title,
        document=content.document or MISSING,
        git=dict(content.git) if metadata and content.git is not None else MISSING,
    )


class PageTree:
    """Shows pages of a snapshot, each with what is in it; as JSON objects, since a revision has thousands."""

    def __init__(self, at: Addresses, space_id: str, snapshot: Snapshot, *, metadata: bool) -> None:
        """Take the pages; without `metadata` what they come from in Git is left out."""
        self._at, self._space_id, self._snapshot, self._metadata = at, space_id, snapshot, metadata

    def inside(self, parent: str | None) -> list[dict[str, Any]]:
        """Show the pages in a page, or at the top."""
        shown: dict[str | None, list[dict[str, Any]]] = {parent: []}
        todo = list(reversed(self._snapshot.children.get(parent, ())))
        while todo:
            page = todo.pop()
            one = self._page(page)
            shown.setdefault(page.parent, []).append(one)
            if page.type in HOLDS_PAGES:
                one["pages"] = shown.setdefault(page.id, [])
                todo += reversed(self._snapshot.children.get(page.id, ()))
        return shown[parent]

    def page(self, page: Page) -> dict[str, Any]:
        """Show one page with what is in it."""
        one = self._page(page)
        if page.type in HOLDS_PAGES:
            one["pages"] = self.inside(page.id)
        return one

    def alone(self, page: Page) -> dict[str, Any]:
        """Show one page without what is in it, and without variables: for lists of pages, which would repeat them."""
        one = self._page(page)
        one.pop("variables", None)
        return {**one, "pages": []} if page.type in HOLDS_PAGES else one

    def _page(self, page: Page) -> dict[str, Any]:
        one: dict[str, Any] = {"id": page.id, "title": page.title, "type": page.type}
        one |= {wire: value for name, wire in _TEXTS if (value := getattr(page, name)) is not None}
        one |= {wire: True for name, wire in _FLAGS if getattr(page, name) and page.type != "computed"}
        if page.type == "computed":
            return {**one, "computed": page.computed}
        if page.type == "link":
            return {**one, "kind": "link", "target": page.target, **_href(page.target)}
        one |= {"slug": page.slug, "path": self._snapshot.path_of[page.id]}
        if page.type == "group":
            return {**one, "kind": "group"}
        one |= {
            "kind": "sheet",
            "urls": {"app": self._at.app("spaces", self._space_id, "pages", page.id)},
            "layout": {**LAYOUT, "cover": bool(page.cover), **(page.layout or {})},
        }
        for wire, value in (("description", page.description), ("cover", page.cover), ("variables", page.variables)):
            if value:
                one[wire] = value
        if page.git is not None and self._metadata:
            one["git"] = page.git
        if page.computed is not None:
            return {**one, "computed": page.computed, "computedSeed": page.computed_seed or page.id}
        return {**one, "documentId": page.document} if page.document is not None else one


def _href(target: Mapping[str, Any] | None) -> dict[str, str]:
    return {"href": target["url"]} if target is not None and target.get("kind") == "url" else {}
