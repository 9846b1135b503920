"""Members of organizations."""

from __future__ import annotations

from functools import partial

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import USER, member
from runtime.api.resource import Resource, RowsOf
from runtime.contract.members import MemberQuery, MemberSpace, OrderedQuery, OrganizationMember, UpdateMember
from runtime.serializers import members as serializers
from runtime.services import membership as service
from runtime.store import membership
from runtime.store.cursors import Order, newest_first
from runtime.store.rows import Conditions, Reach, visible
from runtime.store.tables.organizations import MemberRow, OrganizationRow
from runtime.store.tables.spaces import SpaceRow

MEMBER = Resource(
    "member",
    MemberRow,
    at="members/{userId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    key="user_id",
    model=OrganizationMember,
    serialize=serializers.members,
    order=newest_first(MemberRow.joined_at, MemberRow.user_id),
)
SORTS = {"joinedAt": Order(MemberRow.joined_at), "lastSeenAt": Order(MemberRow.last_seen_at)}

MEMBER_SPACES = SPACE.shown_as(MemberSpace, serializers.spaces_of_member)

members = Family("Members", MEMBER)


@members.list(f"GET {MEMBER.collection}", MEMBER, needs=member("read"), sorts=SORTS)
def list_members_in_organization_by_id(call: Call, organization: OrganizationRow, query: MemberQuery) -> Conditions:
    """List the members of an organization."""
    return membership.members(organization.id, query)


crud.get(members, MEMBER, "getMemberInOrganizationById", "Get a member.", needs=USER)


@members.operation(f"PATCH {MEMBER.path}", MEMBER, needs=member("admin"))
def update_member_in_organization_by_id(
    call: Call, organization: OrganizationRow, member: MemberRow, body: UpdateMember
) -> MemberRow:
    """Change the role of a member."""
    if body.role is not MISSING:
        service.change_role(call.session, organization, member, body.role)
    return member


@members.operation(f"DELETE {MEMBER.path}", needs=USER, status=205)
def remove_member_from_organization_by_id(call: Call, organization: OrganizationRow, member: MemberRow | None) -> None:
    """Remove a member, or leave an organization."""
    if member is None or member.user_id != call.actor.reach.user_id:
        call.require("admin", organization, f"organization {organization.id}", call.session)
    if member is None:
        call.status = 204
    else:
        service.remove(call.session, organization, member)


@members.operation(f"POST {MEMBER.path}/sso", MEMBER, needs=member("admin"))
def set_user_as_sso_member_for_organization(call: Call, organization: OrganizationRow, member: MemberRow) -> MemberRow:
    """Let a member see the organization only in browser sessions that began at its identity provider."""
    service.require_single_sign_on(call.session, organization, member)
    return member


@members.list(f"GET {MEMBER.path}/spaces", MEMBER_SPACES, needs=USER)
def list_spaces_for_organization_member(call: Call, member: MemberRow, query: OrderedQuery) -> RowsOf:
    """List the spaces of a member, with the level the member has on each."""
    roles = membership.roles_of([member] if not member.disabled else [])
    theirs = Reach("user", user_id=member.user_id, roles=roles)
    shown = SPACE.shown_as(MemberSpace, partial(serializers.spaces_of_member, of=theirs))
    return RowsOf(shown, [SpaceRow.organization_id == member.organization_id, visible(SpaceRow, theirs)])
