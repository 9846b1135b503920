"""Addresses of the application, as people copy them from their browsers, and what they name."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from runtime.api.call import Call
from runtime.api.entrance import find_resource
from runtime.api.families.change_requests import CHANGE_REQUEST
from runtime.api.operation import Family
from runtime.api.permission import USER, scoped
from runtime.contract import errors
from runtime.contract.app_addresses import AddressedCollection, AddressedContent, AddressQuery
from runtime.serializers.change_requests import change_requests
from runtime.serializers.collections import collections
from runtime.serializers.content import PageTree
from runtime.serializers.spaces import spaces
from runtime.services import content
from runtime.store import rows
from runtime.store.content.entries import HOLDS_PAGES, Page
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.rows import HOST
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

app_addresses = Family("Spaces")
READS_CONTENT = "space:content:read"


@app_addresses.operation(
    "GET /v1/urls/content", AddressedCollection | AddressedContent, needs=scoped(USER, "space:metadata:read")
)
def get_content_by_url(call: Call, query: AddressQuery) -> AddressedCollection | AddressedContent:
    """Find what an address of the application names: a collection, or a space, with a change request or page in it.

    A change request or a page that is gone, or that the caller may not read, is left out.
    """
    path = call.host.addresses.path_of(query.url)
    match [unquote(name) for name in path.split("/") if name]:
        case ["app", "collections", collection, *_]:
            row = call.find(CollectionRow, id=collection)
            return AddressedCollection(collection=call.show(collections, row))
        case ["app", "spaces", space, *rest]:
            return _in_space(call, call.find(SpaceRow, id=space), rest)
    raise errors.NotFound("This address belongs to no space or collection of this host.")


def _in_space(call: Call, space: SpaceRow, rest: Sequence[str]) -> AddressedContent:
    found = AddressedContent(space=call.show(spaces, space))
    revision: RevisionRow | None = None
    match rest:
        case ["change-requests", name, *rest]:
            row = _change_request(call, space, name)
            if row is not None:
                found.change_request = call.show(change_requests, row)
                revision = rows.find(call.session, HOST, RevisionRow, id=row.revision_id, space_id=space.id)
        case [_, *_]:
            revision = content.current(call.session, space)
    if revision is not None and rest and (call.actor.kind == "user" or READS_CONTENT in call.actor.scopes):
        snapshot = snapshot_of(call.session, revision)
        page = _page(snapshot, rest)
        if page is not None:
            found.page = PageTree(call.host.addresses, space.id, snapshot, metadata=False).alone(page)
    return found


def _change_request(call: Call, space: SpaceRow, name: str) -> ChangeRequestRow | None:
    """Find a change request by its id, or its number; scripts see none."""
    if call.actor.kind != "user":
        return None
    found = find_resource(call, call.session, CHANGE_REQUEST, name, space)
    return found[0] if found is not None else None


def _page(snapshot: Snapshot, names: Sequence[str]) -> Page | None:
    """Find the page that the end of an address names by its id, or by its path."""
    match names:
        case ["pages", page_id]:
            page = snapshot.page_by_id.get(page_id)
        case _:
            page = snapshot.page_by_path.get("/".join(names))
    return page if page is not None and page.type in HOLDS_PAGES else None
