"""Links of a revision, with the places they are at and lead to (docs/contract/api.md, "Links")."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from runtime.contract.integrations import Scope
from runtime.contract.links import MAX_PLACES
from runtime.serializers import content
from runtime.serializers.change_requests import change_request_alone
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
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow

R = TypeVar("R", bound=Table)
Json = dict[str, Any]

PLACES, BYTES = 1000, 8 << 20
"""Places that are shown in one answer, and about its bytes; each of its targets has at least one place."""
ABOUT_A_PAGE = 1000
"""Bytes of a page that is shown."""
METADATA: Scope = "space:metadata:read"
"""The scope with which scripts read organizations and spaces themselves."""
SPECIFICATIONS: Scope = "openapi:read"


class Place(Protocol):
    """Where a link is."""

    @property
    def entry(self) -> Page | ReusableContent: ...

    @property
    def node(self) -> str | None: ...


class Version(Protocol):
    """A version of a space's content that links are in, or lead to."""

    @property
    def space(self) -> SpaceRow: ...

    @property
    def revision(self) -> RevisionRow: ...

    @property
    def snapshot(self) -> Snapshot: ...


class _Shown:
    """A version of a space's content as each location in it shows it, made once."""

    def __init__(
        self, view: View, version: Version, organization: Json, space: Json, change_request: ChangeRequestRow | None
    ) -> None:
        self._at, self._space, self._snapshot = view.at, version.space, version.snapshot
        context: Json
        if change_request is not None:
            context = {"type": "changeRequest", "changeRequest": _json(change_request_alone(view, change_request))}
        else:
            context = {"type": "revision", "revision": _json(content.revision_alone(view, version.revision))}
        self._everywhere = {"organization": organization, "space": space, "versionContext": context}
        self.size = len(json.dumps(self._everywhere)) + ABOUT_A_PAGE
        """About how many bytes a location in this version has."""
        self._tree = content.PageTree(view.at, version.space.id, version.snapshot, metadata=False)

    def named(self, ref: Mapping[str, Any]) -> Json | None:
        """Show what a reference names in this version; None where only the reference itself is known."""
        if ref["kind"] == "file":
            file = content.file(self._at, self._space.id, self._snapshot.file_by_id[ref["file"]], metadata=False)
            return {"kind": "file", **self._everywhere, "file": _json(file)}
        if ref["kind"] == "reusable-content":
            return self.reusable_content(self._snapshot.reusable_content_by_id[ref["reusableContent"]])
        if "page" in ref:
            anchor = {"type": "anchor", "anchor": ref["anchor"]} if ref.get("anchor") else None
            return self.page(self._snapshot.page_by_id[ref["page"]], anchor)
        return None

    def reusable_content(self, one: ReusableContent) -> Json:
        shown = _json(content.reusable_content(one, metadata=False))
        return {"kind": "reusable-content", **self._everywhere, "reusableContent": shown}

    def page(self, page: Page, location: dict[str, str] | None) -> Json:
        shown = {"kind": "page", **self._everywhere, "page": self._tree.alone(page)}
        return {**shown, "internalLocation": location} if location is not None else shown


class Locations:
    """Shows what links of a version are in, and lead to; what all of them share is made once.

    What the actor may not read by itself is shown with its id alone: scripts need a scope for organizations and spaces.
    Specifications are left out without their scope.
    """

    def __init__(
        self,
        view: View,
        version: Version,
        change_request: ChangeRequestRow | None = None,
        *,
        scopes: Collection[str] = (),
    ) -> None:
        """Take the version whose links are shown, the change request that it is of, and the scopes of a script."""
        self._view, self._scopes, self._organization_id = view, scopes, version.space.organization_id
        self._organizations: dict[str, Json] = {}
        self._load_organizations([self._organization_id])
        self._here = self._shown(version, change_request)
        self._elsewhere: dict[str, _Shown] = {}
        self._others: dict[tuple[str, str], Json] = {}

    def _shown(self, version: Version, change_request: ChangeRequestRow | None = None) -> _Shown:
        organization = self._organizations[version.space.organization_id]
        space = self._spaces(self._view, [version.space])[0]
        return _Shown(self._view, version, organization, space, change_request)

    def load(self, refs: Iterable[Mapping[str, Any]], elsewhere: Sequence[Version]) -> None:
        """Load what references name that are `ok`, each table at once, and the other spaces they lead into."""
        named = list(refs)
        self._load("space", SpaceRow, self._spaces, named)
        self._load("collection", CollectionRow, _all(collections), named)
        self._load("user", UserRow, _all(users), named)
        if self._may(SPECIFICATIONS):
            slugs = {ref["spec"] for ref in named if ref["kind"] == "openapi"}
            found = openapi_specs.by_slugs(self._view.session, self._view.reach, self._organization_id, slugs)
            for row, shown in zip(found, specs(self._view, found), strict=True):
                self._others["openapi", row.slug] = _json(shown)
        self._load_organizations(
            {version.space.organization_id for version in elsewhere}
            | {one["organization"] for (kind, _), one in self._others.items() if kind in ("space", "collection")}
        )
        for version in elsewhere:
            self._elsewhere[version.space.id] = self._shown(version)

    def _may(self, scope: Scope) -> bool:
        return self._view.reach.kind == "user" or scope in self._scopes

    def _spaces(self, view: View, rows: Sequence[SpaceRow]) -> list[Json]:
        if self._may(METADATA):
            return [_json(space) for space in spaces(view, rows)]
        return [{"object": "space", "id": row.id, "organization": row.organization_id} for row in rows]

    def _load(
        self,
        kind: str,
        table: type[R],
        show: Callable[[View, Sequence[R]], Sequence[Json]],
        refs: Sequence[Mapping[str, Any]],
    ) -> None:
        found = self._view.by_id(table, {ref[kind] for ref in refs if ref["kind"] == kind})
        for row_id, shown in zip(found, show(self._view, list(found.values())), strict=True):
            self._others[kind, row_id] = shown

    def _load_organizations(self, ids: Iterable[str]) -> None:
        found = self._view.by_id(OrganizationRow, set(ids) - self._organizations.keys())
        for row_id, shown in zip(found, organizations(self._view, list(found.values())), strict=True):
            reach = self._view.reach
            whole = reach.belongs_to(row_id) if reach.kind == "user" else self._may(METADATA)
            reference = {"object": "organization", "id": row_id}
            self._organizations[row_id] = _json(shown) if whole else reference

    @property
    def most(self) -> int:
        """How many items an answer may have, each with a place and a target about as long as that."""
        return max(1, BYTES // (2 * self._here.size))

    def place(self, place: Place) -> Json:
        """Show where a link is."""
        if isinstance(place.entry, ReusableContent):
            return self._here.reusable_content(place.entry)
        return self._here.page(place.entry, {"type": "node", "node": place.node} if place.node is not None else None)

    def target(self, ref: Mapping[str, Any]) -> Json | None:
        """Show what a reference leads to; None where only the reference itself is known."""
        kind = ref["kind"]
        if kind == "url":
            return {"kind": "url", "url": ref["url"]}
        if kind == "openapi":
            spec = self._others.get((kind, ref["spec"]))
            organization = self._organizations[self._organization_id]
            return None if spec is None else {"kind": kind, "organization": organization, "openAPISpec": spec}
        if kind in ("space", "collection", "user"):
            other = self._others.get((kind, ref[kind]))
            if other is None:
                return None
            shown = {"kind": kind, kind: other}
            return shown if kind == "user" else {**shown, "organization": self._organizations[other["organization"]]}
        if "space" not in ref:
            return self._here.named(ref)
        version = self._elsewhere.get(ref["space"])  # none for what is not looked at, beyond the first spaces
        return version.named(ref) if version is not None else None

    def places(self, places: Sequence[Place], targets: int) -> list[Json]:
        """Show the first places of one target, in an answer that has so many `targets`."""
        most = min(PLACES, BYTES // self._here.size) // targets
        return [self.place(one) for one in places[: min(MAX_PLACES, max(1, most))]]


def _json(model: BaseModel) -> Json:
    return model.model_dump(mode="json", by_alias=True)


def _all(show: Callable[[View, Sequence[R]], Sequence[BaseModel]]) -> Callable[[View, Sequence[R]], Sequence[Json]]:
    return lambda view, rows: [_json(one) for one in show(view, rows)]
