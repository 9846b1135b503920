"""Invites into an organization, by e-mail and by link."""

from __future__ import annotations

from typing import Any

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import USER, member
from runtime.api.resource import PathValue, Resource
from runtime.contract.invites import (
    CreateInviteLink,
    EmailInvite,
    InvitedUsers,
    InviteLink,
    InviteToFollow,
    InviteUsers,
    Joined,
    UpdateInviteLink,
)
from runtime.serializers import invites as serializers
from runtime.services import inviting as service
from runtime.store import organizations
from runtime.store.cursors import newest_first
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.invites import EmailInviteRow, InviteLinkRow
from runtime.store.tables.organizations import OrganizationRow

INVITE_LINK = Resource(
    "invite_link",
    InviteLinkRow,
    at="link-invites/{inviteId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=InviteLink,
    serialize=serializers.invite_links,
    order=newest_first(InviteLinkRow.created_at, InviteLinkRow.id),
)
EMAIL_INVITE = Resource(
    "email_invite",
    EmailInviteRow,
    at="email-invites/{email}",
    within=ORGANIZATION,
    parent_column="organization_id",
    key="email",
    slashes=True,
    lower=True,
    model=EmailInvite,
    serialize=serializers.email_invites,
    order=newest_first(EmailInviteRow.created_at, EmailInviteRow.id),
)
# Invited people may see neither the organization nor the invite yet: they only know its id.
INVITE = PathValue("orgs/{organizationId}/invites/{inviteId}")

invites = Family("Organizations", INVITE_LINK, EMAIL_INVITE, INVITE)


@invites.operation(f"POST {ORGANIZATION.path}/invites", InvitedUsers, needs=member("admin"))
def invite_users_to_organization(call: Call, organization: OrganizationRow, body: InviteUsers) -> InvitedUsers:
    """Invite people by e-mail."""
    mailer = call.host.mailer
    sends = mailer is not None
    inside, made = service.invite(call.session, organization, body, call.actor.reach.user_id, send=sends)
    if mailer is not None:
        call.after.append(mailer.wake)
    at = call.host.addresses
    links = [InviteToFollow(email=row.email, url=at.app("join", row.organization_id, row.id)) for row in made]
    return InvitedUsers(users=inside, invited=len(made), failedSSOEmails=[], links=MISSING if sends else links)


@invites.operation(f"POST /v1/{INVITE.at}", Joined, needs=USER)
def join_organization_with_invite(call: Call) -> Joined:
    """Accept an invite."""
    organization = organizations.named(call.session, HOST, call.path["organizationId"])
    organization_id = organization.id if organization is not None else call.path["organizationId"]
    service.join_as(call.session, organization_id, call.path["inviteId"], call.actor.reach)
    return Joined()


@invites.list(f"GET {EMAIL_INVITE.collection}", EMAIL_INVITE, needs=member("admin"))
def list_organization_email_invites(call: Call, organization: OrganizationRow) -> list[Any]:
    """List the invites by e-mail that may still be accepted (extension)."""
    return [EmailInviteRow.organization_id == organization.id, EmailInviteRow.expires_at > now()]


crud.delete(
    invites,
    EMAIL_INVITE,
    "deleteOrganizationEmailInvite",
    "Withdraw an invite by e-mail; it can no longer be accepted (extension).",
    needs=member("admin"),
)
crud.list_of(
    invites,
    INVITE_LINK,
    "listOrganizationInviteLinks",
    "List the invite links of an organization.",
    needs=member("admin"),
)


@invites.operation(f"POST {INVITE_LINK.collection}", INVITE_LINK, needs=member("admin"), status=201)
def create_organization_invite(call: Call, organization: OrganizationRow, body: CreateInviteLink) -> InviteLinkRow:
    """Create an invite link."""
    return service.create_link(call.session, organization, body.role, call.actor.reach.user_id)


crud.get(invites, INVITE_LINK, "getOrganizationInviteLink", "Get an invite link.", needs=member("admin"))
crud.update(
    invites,
    INVITE_LINK,
    "updateOrganizationInviteById",
    "Change the role that an invite link gives.",
    needs=member("admin"),
    body=UpdateInviteLink,
)
crud.delete(
    invites,
    INVITE_LINK,
    "deleteOrganizationInviteById",
    "Delete an invite link; nobody can join with it any longer.",
    needs=member("admin"),
)
