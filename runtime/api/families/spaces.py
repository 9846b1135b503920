"""Spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import USER, member, scoped
from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery
from runtime.contract.spaces import AddressQuery, ContentOfAddress, CreateSpace, Space, UpdateSpace
from runtime.dispatch import objects
from runtime.services import installing, space_settings
from runtime.store.tables.spaces import SpaceRow

spaces = Family("Spaces")


@spaces.operation(
    "GET /v1/orgs/{organizationId}/spaces",
    ListOf[Space],
    needs=scoped(member("read"), "space:metadata:read", integration=False),
)
def list_spaces_in_organization_by_id(call: Call, query: ListQuery) -> ListOf[Space]:
    """List the spaces of an organization."""

    def show(found: Sequence[SpaceRow]) -> list[Space]:
        return [space_object(call, row) for row in found]

    return call.page(SpaceRow, query, show, SpaceRow.organization_id == call.organization.id)


@spaces.operation(
    "POST /v1/orgs/{organizationId}/spaces", Space, needs=member("create"), status=201, body_optional=True
)
def create_space(call: Call, body: CreateSpace) -> Space:
    """Create a space."""
    for field, what in (("parent", "collection"), ("template", "template"), ("computed_source", "content source")):
        if getattr(body, field) is not MISSING:
            raise errors.BadRequest(f"{field}: there is no such {what}")
    row = SpaceRow(
        organization_id=call.organization.id,
        title=body.title,
        emoji=body.emoji,
        edit_mode=body.edit_mode,
        language=None if body.language is MISSING else body.language,
    )
    call.session.add(row)
    call.session.flush()
    installing.content_added(call.session, row)
    shown = space_object(call, row)
    call.location = shown.urls.location
    return shown


@spaces.operation(
    "GET /v1/spaces/{spaceId}",
    Space,
    needs=scoped(member("read"), "space:metadata:read"),
)
def get_space_by_id(call: Call) -> Space:
    """Get a space."""
    return space_object(call, call.space)


@spaces.operation(
    "PATCH /v1/spaces/{spaceId}", Space, needs=scoped(member("create"), "space:metadata:write", integration=False)
)
def update_space_by_id(call: Call, body: UpdateSpace) -> Space:
    """Change a space; a change of its visibility is told to integrations."""
    space_settings.update(call.session, call.space, body)
    return space_object(call, call.space)


@spaces.operation(
    "GET /v1/urls/content",
    ContentOfAddress,
    needs=scoped(USER, "space:metadata:read"),
)
def get_content_by_url(call: Call, query: AddressQuery) -> ContentOfAddress:
    """Find the space that an address of the application names."""
    place = query.url.removeprefix(call.host.addresses.app("spaces") + "/")
    space_id = re.split(r"[/?#]", place, maxsplit=1)[0]
    if place == query.url or not re.fullmatch(r"[0-9A-Za-z]{1,100}", space_id):
        raise errors.NotFound("This address names no space of this host.")
    return ContentOfAddress(space=space_object(call, call.find(SpaceRow, id=space_id)))


def space_object(call: Call, row: SpaceRow) -> Space:
    """Show a space with what the actor may do in it."""
    return objects.space_object(row, call.host.addresses, call.actor.role_in(row.organization_id))
