"""Members and teams: their filters, their numbers, and who is meant by an id or an e-mail address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session

from runtime.contract.members import MemberQuery
from runtime.contract.organizations import Role
from runtime.store import locks, rows
from runtime.store.levels import level_on
from runtime.store.rows import HOST, Conditions, Reach
from runtime.store.searching import contains
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow


def lock_membership(session: Session, organization_id: str, user_id: str) -> None:
    """Let nobody else change what a person is in an organization until the transaction ends.

    Whoever accepts an invite, signs in for the first time, or gives, changes and ends a membership comes one after the
    other. Rows that were read before may be outdated.
    """
    locks.acquire(session, f"membership of {user_id} in {organization_id}")


def enabled(session: Session, *conditions: ColumnElement[bool], **by: Any) -> list[MemberRow]:
    """List memberships that give access: a disabled one gives none, whoever asks on behalf of the person."""
    return rows.every(session, HOST, MemberRow, *conditions, disabled=False, **by)


def roles_of(memberships: Iterable[MemberRow]) -> frozenset[tuple[str, Role | None]]:
    """Return the roles of a person's memberships, as a `Reach` has them."""
    return frozenset((member.organization_id, member.role) for member in memberships)


def level_of_person(session: Session, user_id: str, space: SpaceRow) -> Role | None:
    """Return the level that a person has on a space now, whatever they came with when they asked for something."""
    there = enabled(session, organization_id=space.organization_id, user_id=user_id)
    return level_on(session, Reach("user", user_id=user_id, roles=roles_of(there)), space) if there else None


def members(organization_id: str, query: MemberQuery) -> Conditions:
    """Build the filters of the member list (docs/contract/api.md, "Filters")."""
    conditions = [MemberRow.organization_id == organization_id]
    if query.role is not None:
        conditions.append(MemberRow.role.is_(None) if query.role == "guest" else MemberRow.role == query.role)
    if query.search:
        named = or_(contains(UserRow.display_name, query.search), contains(UserRow.email, query.search))
        conditions.append(exists().where(UserRow.id == MemberRow.user_id, named))
    if query.sort == "lastSeenAt":
        conditions.append(MemberRow.last_seen_at.is_not(None))
    return conditions


def of_domain(session: Session, reach: Reach, domain: str) -> list[OrganizationRow]:
    """List the organizations that have an e-mail domain and in which a person has a role; there are few of them.

    Guests are not shown the domains of an organization, so they cannot ask for one either.
    """
    own = rows.every(session, reach, OrganizationRow, OrganizationRow.id.in_(reach.organizations))
    return [row for row in own if domain.lower() in row.email_domains]


def teams(organization_id: str, title: str | None, owner: str | None = None) -> list[ColumnElement[bool]]:
    """Build the filters of the team list."""
    conditions = [TeamRow.organization_id == organization_id]
    if title:
        conditions.append(contains(TeamRow.title, title))
    if owner:
        mine = exists().where(
            TeamMemberRow.team_id == TeamRow.id, TeamMemberRow.user_id == owner, TeamMemberRow.role == "owner"
        )
        conditions.append(mine)
    return conditions


def teams_of(member: MemberRow, title: str | None) -> Conditions:
    """Match the places of a member in teams, whose title contains a text."""
    conditions = [
        TeamMemberRow.organization_id == member.organization_id,
        TeamMemberRow.user_id == member.user_id,
    ]
    if title:
        conditions.append(exists().where(TeamRow.id == TeamMemberRow.team_id, contains(TeamRow.title, title)))
    return conditions


def named(session: Session, organization_id: str, people: Iterable[str]) -> dict[str, str]:
    """Find members by what they are called: an id or an e-mail address -> the id; others are left out."""
    names = set(people)
    query = (
        select(UserRow.id, UserRow.email)
        .join(MemberRow, MemberRow.user_id == UserRow.id)
        .where(
            MemberRow.organization_id == organization_id,
            or_(UserRow.id.in_(names), func.lower(UserRow.email).in_({name.lower() for name in names})),
        )
    )
    ids: dict[str, str] = {}
    for user_id, email in session.execute(query):
        ids[user_id] = ids[email.lower()] = user_id
    return {name: ids[key] for name in names for key in (name, name.lower()) if key in ids}


def count_teams(session: Session, members: Iterable[MemberRow]) -> dict[tuple[str, str], int]:
    """Count the teams each member is in, by organization and person."""
    people = list(members)
    of = (TeamMemberRow.organization_id, TeamMemberRow.user_id)
    # Each by itself, which is read faster than pairs: a page of members is of one organization.
    organizations, users = {one.organization_id for one in people}, {one.user_id for one in people}
    query = select(*of, func.count()).where(of[0].in_(organizations), of[1].in_(users)).group_by(*of)
    return {(organization, user): count for organization, user, count in session.execute(query)}


def count_team_members(session: Session, team_ids: Sequence[str]) -> dict[str, int]:
    """Count the members of each team."""
    query = (
        select(TeamMemberRow.team_id, func.count())
        .where(TeamMemberRow.team_id.in_(team_ids))
        .group_by(TeamMemberRow.team_id)
    )
    return dict(session.execute(query).all())
