"""Links of a revision, with the places they are at and lead to (docs/contract/api.md, "Links")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from runtime.serializers import content
from runtime.serializers.collections import collections
from runtime.serializers.openapi_specs import specs
from runtime.serializers.organizations import organizations
from runtime.serializers.people import users
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import openapi_specs
from runtime.store.content.entries import Page, ReusableContent
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Table
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow

R = TypeVar("R", bound=Table)

MAX_PLACES = 100
"""Places that are shown of one target."""
PLACES = 1000
"""Places that are shown in one answer, divided among its targets; each target has at least one."""


class Place(Protocol):
    """Where a link is."""

    @property
    def entry(self) -> Page | ReusableContent: ...

    @property
    def node(self) -> str | None: ...


class Locations:
    """Shows what links of a revision are in, and lead to; what all of them share is made once."""

    def __init__(self, view: View, space: SpaceRow, snapshot: Snapshot) -> None:
        """Take the revision's space and content."""
        self._view, self._space, self._snapshot = view, space, snapshot
        organization = view.by_id(OrganizationRow, [space.organization_id])[space.organization_id]
        self._organization = _json(organizations(view, [organization])[0])
        self._here = {"organization": self._organization, "space": _json(spaces(view, [space])[0])}
        self._tree = content.PageTree(view.at, space.id, snapshot, metadata=False)
        self._others: dict[tuple[str, str], dict[str, Any]] = {}

    def load(self, refs: Iterable[Mapping[str, Any]]) -> None:
        """Load what references name that are `ok`, each table at once."""
        named = list(refs)
        self._load("space", SpaceRow, spaces, named)
        self._load("collection", CollectionRow, collections, named)
        self._load("user", UserRow, users, named)
        slugs = {ref["spec"] for ref in named if ref["kind"] == "openapi"}
        found = openapi_specs.by_slugs(self._view.session, self._view.reach, self._space.organization_id, slugs)
        for row, shown in zip(found, specs(self._view, found), strict=True):
            self._others["openapi", row.slug] = _json(shown)

    def _load(
        self,
        kind: str,
        table: type[R],
        show: Callable[[View, Sequence[R]], Sequence[BaseModel]],
        refs: Sequence[Mapping[str, Any]],
    ) -> None:
        found = self._view.by_id(table, {ref[kind] for ref in refs if ref["kind"] == kind})
        for row_id, shown in zip(found, show(self._view, list(found.values())), strict=True):
            self._others[kind, row_id] = _json(shown)

    def place(self, place: Place) -> dict[str, Any]:
        """Show where a link is."""
        if isinstance(place.entry, ReusableContent):
            shown = _json(content.reusable_content(place.entry, metadata=False))
            return {"kind": "reusable-content", **self._here, "reusableContent": shown}
        location = {"type": "node", "node": place.node} if place.node is not None else None
        return self._page(place.entry, location)

    def target(self, ref: Mapping[str, Any]) -> dict[str, Any] | None:
        """Show what a reference leads to; None where only the reference itself is known."""
        kind = ref["kind"]
        if kind == "url":
            return {"kind": "url", "url": ref["url"]}
        if (kind, ref.get(kind)) in self._others:
            shown = {"kind": kind, kind: self._others[kind, ref[kind]]}
            return shown if kind == "user" else {**shown, "organization": self._organization}
        if kind == "openapi":
            return {"kind": kind, "organization": self._organization, "openAPISpec": self._others[kind, ref["spec"]]}
        if "space" in ref:  # pages of other spaces are looked for, not shown
            return None
        if kind == "file":
            file = self._snapshot.file_by_id[ref["file"]]
            shown = _json(content.file(self._view.at, self._space.id, file, metadata=False))
            return {"kind": "file", **self._here, "file": shown}
        if kind == "reusable-content":
            reusable = self._snapshot.reusable_content_by_id[ref["reusableContent"]]
            shown = _json(content.reusable_content(reusable, metadata=False))
            return {"kind": kind, **self._here, "reusableContent": shown}
        if "page" in ref:
            anchor = {"type": "anchor", "anchor": ref["anchor"]} if ref.get("anchor") else None
            return self._page(self._snapshot.page_by_id[ref["page"]], anchor)
        return None

    def places(self, places: Sequence[Place], targets: int) -> list[dict[str, Any]]:
        """Show the first places of one target, in an answer that has so many `targets`."""
        return [self.place(one) for one in places[: min(MAX_PLACES, max(1, PLACES // targets))]]

    def _page(self, page: Page, location: dict[str, str] | None) -> dict[str, Any]:
        shown = {"kind": "page", **self._here, "page": self._tree.alone(page)}
        return {**shown, "internalLocation": location} if location is not None else shown


def _json(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True)
