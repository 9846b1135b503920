"""Invites people into organizations, and lets them join (docs/contract/api.md, "Invites")."""

from __future__ import annotations

from datetime import timedelta

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.invites import InvitedPerson, InviteUsers
from runtime.contract.organizations import Role, reaches
from runtime.services import disk_room, quotas
from runtime.store import invites, locks, membership, rows, sign_ins
from runtime.store.database import now
from runtime.store.rows import HOST, Reach
from runtime.store.tables.invites import EmailInviteRow, InviteEmailRow, InviteLinkRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow

VALID_FOR = timedelta(days=14)
MAX_INVITES, MAX_LINKS = 10_000, 100
"""Invites of an organization by e-mail that nobody has accepted yet, and links into it."""
EMAILS_COUNT_FOR = timedelta(days=1)
MAX_EMAILS, MAX_TO_ONE = 5000, 5
"""Invites by e-mail in that time: of an organization, or of a person in all organizations; and to one address."""
TOO_MANY_EMAILS = "At most {most} invites are sent by e-mail within a day; invite the others tomorrow."
OFTEN = "{address} was sent {most} invites within a day, which is the maximum; invite this person again tomorrow."
FULL_OF_INVITES = "This organization has {most} pending invites, which is the maximum; remove some first."
FULL_OF_LINKS = "An organization has at most {most} invite links; remove one first."
NO_INVITE = "There is no such invite, or it has expired; ask whoever invited you for another one."
SSO_ALONE = "People can only join this organization through single sign-on; sign in there to become a member."
LINKS_OFF = (
    "Invite links are off in this organization. Ask an administrator to turn them on (`inviteLinks`), or for an "
    "invite by e-mail."
)


def invite(
    session: Session, organization: OrganizationRow, body: InviteUsers, invited_by: str | None, *, send: bool
) -> tuple[list[str], list[EmailInviteRow]]:
    """Invite people by e-mail, again who was invited before; gives the ids of members among them, and the invites.

    With `send` the e-mails are due at once. Raises BadRequest where there are too many, Unavailable on a full disk.
    """
    disk_room.enforce(session)
    default = organization.default_role if body.role is MISSING else body.role
    people: dict[str, Role | None] = {}
    for person in body.emails:
        address, role = (person.email, person.role) if isinstance(person, InvitedPerson) else (person, default)
        people[address] = role  # type: ignore[assignment]
    locks.acquire(session, f"invites of {organization.id}")
    members = invites.members_with(session, organization.id, people)
    among = EmailInviteRow.email.in_(people.keys())
    for earlier in rows.every(session, HOST, EmailInviteRow, among, organization_id=organization.id):
        session.delete(earlier)
    session.flush()
    moment = now()
    made = [
        EmailInviteRow(
            organization_id=organization.id,
            email=address,
            role=role,
            sso=body.sso,
            invited_by=invited_by,
            expires_at=moment + VALID_FOR,
            send_at=moment if send else None,
        )
        for address, role in people.items()
        if address not in members
    ]
    quotas.enforce(
        session, EmailInviteRow, MAX_INVITES, FULL_OF_INVITES, more=len(made), organization_id=organization.id
    )
    session.add_all(made)
    if send:
        _count_emails(session, organization, invited_by, [row.email for row in made])
    session.flush()
    return list(members.values()), made


def _count_emails(
    session: Session, organization: OrganizationRow, invited_by: str | None, addresses: list[str]
) -> None:
    """Count what is sent, for the organization and for who invites; raises BadRequest where it is too much for a day.

    Whoever may create organizations could have the host send as much as they like to anybody otherwise.
    """
    moment = now()
    sent = InviteEmailRow
    for owner in ({"organization_id": organization.id}, *([{"user_id": invited_by}] if invited_by else [])):
        counted = sent.expires_at > moment
        quotas.enforce(session, sent, MAX_EMAILS, TOO_MANY_EMAILS, counted, more=len(addresses), **owner)
        ((column, owner_id),) = owner.items()
        often = invites.mailed_often(session, getattr(sent, column) == owner_id, addresses, moment, MAX_TO_ONE)
        if often is not None:
            raise errors.BadRequest(OFTEN.format(address=often, most=MAX_TO_ONE))
    values = {"organization_id": organization.id, "user_id": invited_by, "expires_at": moment + EMAILS_COUNT_FOR}
    session.add_all(sent(email=address, **values) for address in addresses)


def create_link(
    session: Session, organization: OrganizationRow, role: Role | None, invited_by: str | None
) -> InviteLinkRow:
    """Make a link into an organization; raises Conflict where links are off, BadRequest where there are too many."""
    if not organization.invite_links:
        raise errors.Conflict(LINKS_OFF)
    quotas.enforce(session, InviteLinkRow, MAX_LINKS, FULL_OF_LINKS, organization_id=organization.id)
    link = InviteLinkRow(organization_id=organization.id, role=role, invited_by=invited_by)
    session.add(link)
    session.flush()
    return link


def find(session: Session, organization_id: str, invite_id: str) -> InviteLinkRow | EmailInviteRow:
    """Find an invite that may be accepted now; raises NotFound, and Conflict for a link where links are off."""
    by = {"id": invite_id, "organization_id": organization_id}
    link = rows.find(session, HOST, InviteLinkRow, **by)
    if link is not None:
        organization = rows.find(session, HOST, OrganizationRow, id=organization_id)
        if organization is None or not organization.invite_links:
            raise errors.Conflict(LINKS_OFF)
        return link
    email = rows.find(session, HOST, EmailInviteRow, **by)
    if email is None or email.expires_at <= now():
        raise errors.NotFound(NO_INVITE)
    return email


def join_by_email(session: Session, organization_id: str, invite_id: str, name: str) -> str | None:
    """Accept an invite by e-mail as the person whom it was sent to; gives their id, and makes them where needed.

    None where the invite is a link for anybody: who follows that signs in first. Raises NotFound, and Forbidden where
    the organization, or the invite, wants single sign-on.
    """
    accepted = find(session, organization_id, invite_id)
    if not isinstance(accepted, EmailInviteRow):
        return None
    if accepted.sso:
        raise errors.Forbidden(SSO_ALONE)
    locks.acquire(session, f"person {accepted.email}")
    user = sign_ins.person_with(session, accepted.email)
    if user is None:
        printable = "".join(sign if sign.isprintable() else " " for sign in name)
        user = UserRow(display_name=" ".join(printable.split())[:100] or accepted.email[:100], email=accepted.email)
        session.add(user)
        session.flush()
    join(session, organization_id, invite_id, user.id)
    return user.id


def join_as(session: Session, organization_id: str, invite_id: str, reach: Reach) -> MemberRow:
    """Accept an invite as the caller; raises what `join` raises, and Forbidden if bound to another organization.

    What one organization's identity provider or invite says of a person makes them a member of no other.
    """
    if reach.bound_to not in (None, organization_id):
        raise errors.Forbidden(
            "You signed in for one organization only; use a token that is not bound to one to join another."
        )
    return join(session, organization_id, invite_id, reach.user_id or "")


def join(session: Session, organization_id: str, invite_id: str, user_id: str) -> MemberRow:
    """Accept an invite as a person; who is a member already keeps the stronger of both roles, and theirs with a link.

    A link is for anybody who has it: what it gives, members have been given by their administrators, or have lost.

    Raises NotFound for an invite that is not there or over, Forbidden for one that is for another address, Conflict for
    an administrator of too many organizations, BadRequest where the organization has too many members.
    """
    membership.lock_membership(session, organization_id, user_id)
    accepted = find(session, organization_id, invite_id)
    organization = rows.find(session, HOST, OrganizationRow, id=organization_id)
    if organization is not None and organization.sso:
        raise errors.Forbidden(SSO_ALONE)
    if isinstance(accepted, EmailInviteRow):
        user = rows.find(session, HOST, UserRow, id=user_id)
        if user is None or user.email.lower() != accepted.email:
            raise errors.Forbidden("This invite is for another e-mail address than that of your account.")
        if not rows.remove(session, accepted):
            raise errors.NotFound(NO_INVITE)
    member = rows.find(session, HOST, MemberRow, organization_id=organization_id, user_id=user_id)
    sso = isinstance(accepted, EmailInviteRow) and accepted.sso
    if accepted.role == "admin" and (member is None or member.role != "admin"):
        quotas.for_administered(session, user_id)
    if member is None:
        quotas.for_members(session, organization_id)
        member = MemberRow(organization_id=organization_id, user_id=user_id, role=accepted.role, sso=sso)
        session.add(member)
    elif isinstance(accepted, EmailInviteRow) and accepted.role and not reaches(member.role, accepted.role):
        member.role = accepted.role
    session.flush()
    return member
