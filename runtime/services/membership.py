"""Changes who is in an organization and in its teams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.organizations import Role
from runtime.contract.teams import TeamRole, UpdateTeamMembers
from runtime.services import quotas
from runtime.store import identity_providers, invites, membership, rows, tunnels
from runtime.store.rows import HOST
from runtime.store.tables.invites import EmailInviteRow, InviteLinkRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow

MAX_TEAMS = 2000
FULL_OF_TEAMS = "An organization has at most {most} teams; delete some first."
LAST_ADMIN = (
    "This is the last administrator of the organization who can sign in to it. "
    "Make another member an administrator first."
)

LOCKS_OUT = (
    "This is the last administrator of the organization who can sign in to it. Before they must use single sign-on, "
    "complete an identity provider, and make sure that `emailDomains`, if there are any, let an administrator in."
)


def change_role(session: Session, organization: OrganizationRow, member: MemberRow, role: Role | None) -> None:
    """Give a member another role, and withdraw invites by e-mail to them.

    Raises Conflict for the last administrator who can sign in, and for who administers too many organizations.
    """
    _keep_an_admin(session, organization, member, role)
    if role == "admin" and member.role != "admin":
        quotas.for_administered(session, member.user_id)
    if member.role == "admin" and role != "admin":
        _withdraw_invites(session, member)
        tunnels.end_development_by(session, member.user_id, organization.id)
    invites.withdraw_to(session, organization.id, member.user_id)
    member.role = role
    session.flush()


def require_single_sign_on(session: Session, organization: OrganizationRow, member: MemberRow) -> None:
    """Let a member see the organization only in sessions of its identity provider.

    Raises Conflict for the last administrator who could still sign in.
    """
    _lock_administration(session, organization, member)
    member.sso = True
    session.flush()
    if member.role == "admin" and not identity_providers.lets_an_administrator_in(session, organization):
        raise errors.Conflict(LOCKS_OUT)


def remove(session: Session, organization: OrganizationRow, member: MemberRow) -> None:
    """Remove a member, from the teams as well, and withdraw invites by e-mail to them.

    Raises Conflict for the last administrator who can sign in.
    """
    _keep_an_admin(session, organization, member, None)
    if member.role == "admin":
        _withdraw_invites(session, member)
        tunnels.end_development_by(session, member.user_id, organization.id)
    invites.withdraw_to(session, organization.id, member.user_id)
    for token in rows.every(session, HOST, TokenRow, organization_id=organization.id, user_id=member.user_id):
        session.delete(token)
    session.delete(member)
    session.flush()


def _withdraw_invites(session: Session, member: MemberRow) -> None:
    """Withdraw what could make somebody an administrator again, or let them in: their invites and links.

    All links that make administrators go as well: an administrator has seen them.
    """
    by = {"organization_id": member.organization_id, "invited_by": member.user_id}
    makes_admins = {"organization_id": member.organization_id, "role": "admin"}
    for invite in (
        *rows.every(session, HOST, EmailInviteRow, **by),
        *{
            *rows.every(session, HOST, InviteLinkRow, **by),
            *rows.every(session, HOST, InviteLinkRow, **makes_admins),
        },
    ):
        session.delete(invite)


def _lock_administration(session: Session, organization: OrganizationRow, member: MemberRow) -> None:
    """Decide alone who administers an organization, by what the member is now; raises NotFound for one who has left.

    Two administrators who remove each other at the same time wait for each other here, and so does who is made one
    while somebody else stops being one.
    """
    membership.lock_membership(session, organization.id, member.user_id)
    rows.lock(session, organization)
    rows.lock(session, member)


def _keep_an_admin(session: Session, organization: OrganizationRow, member: MemberRow, role: Role | None) -> None:
    _lock_administration(session, organization, member)
    if member.role != "admin" or role == "admin":
        return
    if not identity_providers.lets_an_administrator_in(session, organization, without=member.user_id):
        raise errors.Conflict(LAST_ADMIN)


def create_team(session: Session, organization: OrganizationRow, title: str, people: Iterable[str]) -> TeamRow:
    """Make a team of these members; raises BadRequest for somebody who is not a member, and for one team too many."""
    quotas.enforce(session, TeamRow, MAX_TEAMS, FULL_OF_TEAMS, organization_id=organization.id)
    team = TeamRow(organization_id=organization.id, title=title)
    session.add(team)
    session.flush()
    _join(session, team, dict.fromkeys(_known(session, team, people, "members").values(), None))
    return team


def change_team(session: Session, team: TeamRow, body: UpdateTeamMembers) -> None:
    """Add, remove and change members of a team; raises BadRequest for somebody who is not a member.

    Somebody in both `add` and `remove` goes (docs/contract/api.md, "Teams").
    """
    roles: dict[str, TeamRole | None] = dict.fromkeys(_known(session, team, body.add, "add").values(), None)
    ids = _known(session, team, body.memberships, "memberships")
    roles |= {ids[name]: given.role for name, given in body.memberships.items()}
    leaving = set(membership.named(session, team.organization_id, body.remove).values())
    _join(session, team, {user_id: role for user_id, role in roles.items() if user_id not in leaving})
    for row in rows.every(session, HOST, TeamMemberRow, TeamMemberRow.user_id.in_(leaving), team_id=team.id):
        session.delete(row)
    session.flush()


def join(session: Session, team: TeamRow, user_id: str, role: TeamRole | None) -> None:
    """Put a member into a team, or change what they are there; raises NotFound for somebody who is not a member."""
    if rows.find(session, HOST, MemberRow, organization_id=team.organization_id, user_id=user_id) is None:
        raise errors.NotFound(f"There is no member `{user_id[:60]}` of this organization.")
    _join(session, team, {user_id: role})


def _join(session: Session, team: TeamRow, roles: Mapping[str, TeamRole | None]) -> None:
    inside = rows.every(session, HOST, TeamMemberRow, TeamMemberRow.user_id.in_(set(roles)), team_id=team.id)
    for row in inside:
        row.role = roles[row.user_id] or row.role
    for user_id in roles.keys() - {row.user_id for row in inside}:
        role: TeamRole = roles[user_id] or "member"
        session.add(TeamMemberRow(team_id=team.id, organization_id=team.organization_id, user_id=user_id, role=role))
    session.flush()


def _known(session: Session, team: TeamRow, people: Iterable[str], field: str) -> dict[str, str]:
    names = list(people)
    ids = membership.named(session, team.organization_id, names)
    for name in names:
        if name not in ids:
            raise errors.BadRequest(f"`{name[:60]}` is not a member of this organization", field=field)
    return ids
