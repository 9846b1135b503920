"""Spaces."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.api.call import Call, refusal, role_refusal
from runtime.api.families.collections import COLLECTION, place_for, receiver, require_create_in, target_of
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import USER, for_visitors, member, scoped
from runtime.api.resource import Resource, RowsOf
from runtime.contract import errors
from runtime.contract.places import Move, Transfer
from runtime.contract.site_structure import ShareKeyQuery
from runtime.contract.spaces import RESTORABLE_DAYS, CreateSpace, Space, SpaceListQuery, UpdateSpace
from runtime.dispatch.outbox import WAKE
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.shares import NoneLeft
from runtime.serializers import spaces as serializers
from runtime.services import disk_room, merge_rules, moving, sharing, space_settings
from runtime.services import spaces as service
from runtime.store import deleted_spaces, rows
from runtime.store.cursors import Order, newest_first
from runtime.store.reach import HOST
from runtime.store.rows import Conditions
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.spaces import SpaceRow

SPACE = Resource(
    "space",
    SpaceRow,
    at="spaces/{spaceId}",
    model=Space,
    serialize=serializers.spaces,
    order=newest_first(SpaceRow.created_at, SpaceRow.id),
    deleted=service.restorable,
)
DELETED = replace(SPACE, order=newest_first(SpaceRow.deleted_at, SpaceRow.id))

AS_THEY_STAND = (Order(SpaceRow.position), Order(SpaceRow.id))

spaces = Family("Spaces", SPACE)


@spaces.list(
    f"GET {ORGANIZATION.path}/spaces",
    SPACE,
    needs=scoped(USER, "space:metadata:read", integration=False),
)
def list_spaces_in_organization_by_id(call: Call, organization: OrganizationRow, query: SpaceListQuery) -> RowsOf:
    """List the spaces of an organization, or the deleted ones that can be restored."""
    there = [SpaceRow.organization_id == organization.id]
    return RowsOf(DELETED, there, service.restorable_in(call.actor.reach)) if query.deleted else RowsOf(SPACE, there)


@spaces.operation(f"POST {ORGANIZATION.path}/spaces", SPACE, needs=member("read"), status=201, body_optional=True)
def create_space(call: Call, organization: OrganizationRow, body: CreateSpace) -> SpaceRow:
    """Create a space; this needs `create` on its collection, or in the organization.

    One that is edited around the merge rules of the organization needs `admin` in it.
    """
    if body.computed_source is not MISSING:
        raise errors.BadRequest("create the space without it, then add a computed page", field="computedSource")
    parent = place_for(call, organization.id, None if body.parent is MISSING else body.parent)
    if body.edit_mode == "live" and merge_rules.any_in(organization):
        call.require("admin", organization, f"organization {organization.id}, which has merge rules", call.session)
    return service.create(call.session, organization.id, parent, body)


@spaces.list(f"GET {COLLECTION.path}/spaces", SPACE, needs=member("read"), order=AS_THEY_STAND)
def list_spaces_in_collection_by_id(call: Call, collection: CollectionRow) -> Conditions:
    """List the spaces in a collection, in their order."""
    return [SpaceRow.collection_id == collection.id]


@spaces.operation(
    f"GET {SPACE.path}", Space, needs=for_visitors(scoped(member("read"), "space:metadata:read")), deleted=True
)
def get_space_by_id(call: Call, space: SpaceRow, query: ShareKeyQuery) -> Space:
    """Get a space; a deleted one is shown to whoever may restore it."""
    visitor = call.actor.visitor
    key = visitor.share_key if visitor is not None else query.share_key
    opened = sharing.site_that_opens(call.session, space, key)
    shown: Space = call.show(partial(serializers.spaces, opened=opened), space)
    return shown


@spaces.operation(
    f"PATCH {SPACE.path}", SPACE, needs=scoped(member("create"), "space:metadata:write", integration=False)
)
def update_space_by_id(call: Call, space: SpaceRow, body: UpdateSpace) -> SpaceRow:
    """Change a space; integrations are notified of a change of its visibility.

    Changing its default level and its merge rules needs `admin` on it, and so does editing around such rules.
    """
    if body.default_level is not MISSING:
        call.require("admin", space, f"space {space.id}, whose default level it is", call.session)
    if body.merge_rules is not MISSING:
        call.require("admin", space, f"space {space.id}, whose merge rules they are", call.session)
    opens = body.edit_mode == "live" and space.edit_mode != "live"
    if opens and merge_rules.any_for(call.view(call.session), space):
        call.require("admin", space, f"space {space.id}, which has merge rules", call.session)
    space_settings.update(call.session, space, body)
    call.level_again(space)
    return space


@spaces.operation(f"DELETE {SPACE.path}", needs=member("admin"), status=205)
def delete_space_by_id(call: Call, space: SpaceRow | None) -> None:
    """Delete a space; it can be restored within 7 days."""
    if space is None or not service.remove(call.session, space):
        call.status = 204


@spaces.operation(f"POST {SPACE.path}/restore", SPACE, needs=member("admin"))
def restore_space(call: Call, space: SpaceRow | None) -> SpaceRow:
    """Restore a space that was deleted within the last 7 days."""
    if space is not None:
        raise errors.Conflict("The space is not deleted.")
    found = deleted_spaces.find(call.session, call.actor.reach, call.path["spaceId"])
    if found is None:
        raise errors.NotFound(f"No such space was deleted within the last {RESTORABLE_DAYS} days.")
    row, level = found
    if level != "admin":
        said = role_refusal("the role Admin", level)
        raise errors.Forbidden(refusal(call.actor, "a user token with the role `admin`", level), on_pages=said)
    return service.restore(call.session, row)


@spaces.operation(f"POST {SPACE.path}/duplicate", SPACE, needs=member("read"), status=201, own_transaction=True)
def duplicate_space(call: Call, space: SpaceRow) -> SpaceRow:
    """Copy a space in the same place; this needs `create` there."""
    with _turn_to_copy(call, space), call.host.database.transaction(writes=True) as session:
        disk_room.enforce(session)
        made = service.duplicate(session, _to_copy(call, session, space.id))
        if session.info.get(WAKE):
            call.after.append(call.host.dispatcher.wake)
        return made


@contextmanager
def _turn_to_copy(call: Call, space: SpaceRow) -> Iterator[None]:
    """Check the right to copy a space, and wait for the only turn of its organization in this process.

    SQLite has one writer at a time: between two copies of one organization, the others' turns to write come. Raises
    Unavailable where too many wait.
    """
    with call.host.database.transaction(writes=False) as session:
        _to_copy(call, session, space.id)
    began = time.monotonic()
    with ExitStack() as turn:
        try:
            with Waiting():
                turn.enter_context(call.host.capacity.copies.turn(space.organization_id))
        except NoneLeft:
            raise errors.Unavailable(
                "Too many spaces of this organization are being copied; try again in a moment."
            ) from None
        call.reauthenticate_if_slow(began)  # who waited may have lost their rights
        yield


def _to_copy(call: Call, session: Session, space_id: str) -> SpaceRow:
    """Find a space, for who may create another beside it; raises NotFound or Forbidden."""
    call.opened = session
    space = call.find(SpaceRow, id=space_id)
    inside = space.collection_id
    parent = rows.find(session, HOST, CollectionRow, id=inside) if inside is not None else None
    require_create_in(call, space.organization_id, parent)
    return space


@spaces.operation(f"POST {SPACE.path}/move", SPACE, needs=member("create"))
def move_space(call: Call, space: SpaceRow, body: Move) -> SpaceRow:
    """Move a space into a collection, to the top level of the organization, or to another position."""
    parent = target_of(call, space.organization_id, space.collection_id, body)
    row = moving.move(call.session, call.actor.reach, space, parent, body)
    call.level_again(row)
    return row


@spaces.operation(f"POST {SPACE.path}/transfer", SPACE, needs=member("admin"), also=("412",))
def transfer_space(call: Call, space: SpaceRow, body: Transfer) -> SpaceRow:
    """Transfer a space to another organization."""
    row = moving.transfer(call.session, call.actor.reach, space, receiver(call, space.organization_id, body))
    call.level_again(row)
    return row
