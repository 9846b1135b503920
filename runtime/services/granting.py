"""Gives people and teams access to spaces and collections, and takes it away."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.grants import InviteToContent
from runtime.contract.organizations import Role
from runtime.services import moving, quotas
from runtime.services import structure as service
from runtime.store import access, membership, rows
from runtime.store.reach import HOST, Reach
from runtime.store.structure import Content
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamRow

MAX_GRANTS = 5000
"""People and teams that were given a level on one space or collection itself."""
FULL = (
    "At most {most} people and teams can have direct access to one space or collection; put people into a "
    "team, and give the team access."
)


def invite(session: Session, reach: Reach, content: Content, body: InviteToContent) -> None:
    """Give a level to people and teams of the organization, or take theirs away; raises NotFound for others.

    What is given on a collection reaches all inside: raises Forbidden for who does not administer all of it. Raises
    BadRequest where too many have a level of their own.
    """
    service.lock_structure(session, content.organization_id)
    content = service.reread(session, content)
    _may_give(session, reach, content, body.role)
    people = [] if body.users is MISSING else body.users
    named = membership.named(session, content.organization_id, people)
    for name in people:
        if name not in named:
            raise errors.NotFound(f"`{name[:60]}` is not a member of this organization.")
    teams = set() if body.teams is MISSING else set(body.teams)
    known = rows.every(session, HOST, TeamRow, TeamRow.id.in_(teams), organization_id=content.organization_id)
    for team_id in teams - {team.id for team in known}:
        raise errors.NotFound(f"There is no team `{team_id[:60]}` in this organization.")
    _give(session, content, "user_id", set(named.values()), body.role)
    _give(session, content, "team_id", teams, body.role)


def change(session: Session, reach: Reach, content: Content, grant: GrantRow, role: Role | None) -> bool:
    """Change the level of whoever has one, or take it away; returns whether it was still there."""
    service.lock_structure(session, grant.organization_id)
    _may_give(session, reach, content, role)
    grant_id = grant.id
    session.expire(grant)
    found = rows.find(session, HOST, GrantRow, id=grant_id)
    if found is not None:
        _set(session, found, role)
        session.flush()
    return found is not None


def _may_give(session: Session, reach: Reach, content: Content, role: Role | None) -> None:
    if role is not None and isinstance(content, CollectionRow):
        moving.must_have_all(session, reach, content, "admin")


def _set(session: Session, grant: GrantRow, role: Role | None) -> None:
    if role is None:
        session.delete(grant)
    else:
        grant.role = role


def _give(session: Session, content: Content, whom: str, ids: Iterable[str], role: Role | None) -> None:
    given = access.given_to_people(content) if whom == "user_id" else access.given_to_teams(content)
    wanted = set(ids)
    named = getattr(GrantRow, whom).in_(wanted)
    held = {getattr(row, whom): row for row in rows.every(session, HOST, GrantRow, *given, named)}
    for one in wanted & held.keys():
        _set(session, held[one], role)
    if role is not None:
        place = {"space_id" if isinstance(content, SpaceRow) else "collection_id": content.id}
        organization_id = content.organization_id
        quotas.enforce(session, GrantRow, MAX_GRANTS, FULL, more=len(wanted - held.keys()), **place)
        session.add_all(
            GrantRow(organization_id=organization_id, role=role, **{whom: one}, **place) for one in wanted - held.keys()
        )
    session.flush()
