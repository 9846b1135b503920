"""Collections, and the permissions needed to put something into one."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call, refusal, role_refusal
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import USER, member
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.collections import Collection, CollectionQuery, CreateCollection, UpdateCollection
from runtime.contract.places import Move, Transfer
from runtime.serializers import collections as serializers
from runtime.services import collections as service
from runtime.services import moving
from runtime.store import organizations, rows
from runtime.store.cursors import Order
from runtime.store.reach import HOST
from runtime.store.rows import Conditions
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.organizations import OrganizationRow

COLLECTION = Resource(
    "collection",
    CollectionRow,
    at="collections/{collectionId}",
    model=Collection,
    serialize=serializers.collections,
    order=(Order(CollectionRow.position), Order(CollectionRow.id)),
)

collections = Family("Collections", COLLECTION)


@collections.list(f"GET {ORGANIZATION.path}/collections", COLLECTION, needs=USER)
def list_collections_in_organization_by_id(
    call: Call, organization: OrganizationRow, query: CollectionQuery
) -> Conditions:
    """List the collections of an organization."""
    top = [] if query.nested else [CollectionRow.parent_id.is_(None)]
    return [CollectionRow.organization_id == organization.id, *top]


@collections.operation(
    f"POST {ORGANIZATION.path}/collections", COLLECTION, needs=member("read"), status=201, body_optional=True
)
def create_collection(call: Call, organization: OrganizationRow, body: CreateCollection) -> CollectionRow:
    """Create a collection; this needs `create` on its parent, or in the organization."""
    parent = place_for(call, organization.id, None if body.parent is MISSING else body.parent)
    return service.create(call.session, organization.id, parent, body)


crud.get(collections, COLLECTION, "getCollectionById", "Get a collection.", needs=member("read"))


@collections.operation(f"PATCH {COLLECTION.path}", COLLECTION, needs=member("create"))
def update_collection_by_id(call: Call, collection: CollectionRow, body: UpdateCollection) -> CollectionRow:
    """Change a collection; changing its default level needs `admin` on it."""
    if body.default_level is not MISSING:
        call.require("admin", collection, f"collection {collection.id}, whose default level it is", call.session)
    row = service.update(call.session, collection, body)
    call.level_again(row)
    return row


@collections.operation(f"DELETE {COLLECTION.path}", needs=member("admin"), status=205)
def delete_collection_by_id(call: Call, collection: CollectionRow | None) -> None:
    """Delete a collection with everything inside; its spaces can be restored within 7 days."""
    if collection is None or not service.remove(call.session, call.actor.reach, collection):
        call.status = 204


@collections.operation(f"POST {COLLECTION.path}/move", COLLECTION, needs=member("create"))
def move_collection(call: Call, collection: CollectionRow, body: Move) -> CollectionRow:
    """Move a collection into another one, to the top level of the organization, or to another position."""
    parent = target_of(call, collection.organization_id, collection.parent_id, body)
    row = moving.move(call.session, call.actor.reach, collection, parent, body)
    call.level_again(row)
    return row


@collections.operation(f"POST {COLLECTION.path}/transfer", COLLECTION, needs=member("admin"), also=("412",))
def transfer_collection(call: Call, collection: CollectionRow, body: Transfer) -> CollectionRow:
    """Transfer a collection with everything inside to another organization."""
    row = moving.transfer(call.session, call.actor.reach, collection, receiver(call, collection.organization_id, body))
    call.level_again(row)
    return row


def place_for(call: Call, organization_id: str, parent_id: str | None) -> CollectionRow | None:
    """Find the collection that something is put into, and require `create` there or in the organization.

    Raises BadRequest for one that the requester cannot see.
    """
    reach = call.actor.reach
    if parent_id is None:
        require_create_in(call, organization_id, None)
        return None
    parent = rows.find(call.session, reach, CollectionRow, id=parent_id, organization_id=organization_id)
    if parent is None:
        raise errors.BadRequest("there is no such collection", field="parent")
    require_create_in(call, organization_id, parent)
    return parent


def require_create_in(call: Call, organization_id: str, parent: CollectionRow | None) -> None:
    """Require `create` in a collection, or at the top level of an organization; guests cannot add anything."""
    if parent is None:
        organization = rows.find(call.session, HOST, OrganizationRow, id=organization_id)
        if organization is None:
            raise errors.NotFound
        call.require("create", organization, f"organization {organization_id}", call.session)
        return
    where = f"collection {parent.id}"
    if call.actor.reach.role_in(organization_id) is None:
        # The collection itself may not be theirs to know of: only what is in it was shared with them.
        needed = f"a role in organization {organization_id}"
        raise errors.Forbidden(refusal(call.actor, needed, "guest"), on_pages=role_refusal(needed, None))
    call.require("create", parent, where, call.session)


def target_of(call: Call, organization_id: str, former: str | None, body: Move) -> CollectionRow | None:
    """Find the destination of a move; moving within the same place requires nothing more."""
    if body.parent is MISSING or body.parent == former:
        return None
    return place_for(call, organization_id, body.parent)


def receiver(call: Call, former: str, body: Transfer) -> OrganizationRow:
    """Find the organization of a transfer, and require `create` there; raises Conflict for the current one."""
    target = organizations.named(call.session, call.actor.reach, body.organization)
    if target is None:
        raise errors.not_seen(f"There is no organization `{body.organization[:60]}`")
    if target.id == former:
        raise errors.Conflict("It already belongs to this organization.")
    call.require("create", target, f"organization {target.id}", call.session)
    return target
