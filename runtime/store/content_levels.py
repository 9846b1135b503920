"""The level of an actor on a space or a collection: one rule in SQL, for single rows and for lists of thousands.

The nearest `defaultLevel` that says something, of the row itself or of a collection above it, takes the place of a
member's role in the organization; where none does, the role holds. What was granted to a person, or to a team of
theirs, on the row or on a collection above it, is added: the higher one counts. Administrators of the organization
administer everything in it, so that nothing is lost, and guests have what was granted to them.
Source: docs/contract/api.md, "Roles".
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, and_, case, func, literal, or_, select
from sqlalchemy.orm import aliased

from runtime.contract.organizations import ROLES, Role
from runtime.store.levels import NONE, Highest, number_of
from runtime.store.reach import Reach
from runtime.store.tables.ancestors import CollectionAncestorRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.teams import TeamMemberRow

INHERIT = "inherit"
# Names of their own: a query around these may be about the same tables.
GRANT = aliased(GrantRow, name="given")
ABOVE = aliased(CollectionAncestorRow, name="above")
IN_TEAM = aliased(TeamMemberRow, name="in_team")


def number_in(column: Any) -> ColumnElement[int]:
    """Return the level that a column holds by name as a number; what is no level is none."""
    return case({role: number_of(role) for role in ROLES}, value=column, else_=NONE)


def number_of_default(level: str | None, inherited: int | None) -> int | None:
    """Return the number of a `defaultLevel`; None where the role in the organization holds."""
    if level == INHERIT:
        return inherited
    return next((number_of(role) for role in ROLES if role == level), NONE)


def level(reach: Reach, organization_id: Any, default: Any, *given: ScalarSelect[int | None]) -> ColumnElement[int]:
    """Return the level of an actor: `default` is the number of the default level that holds, null where the role does.

    `given` are the highest levels that were granted on the row and above it.
    """
    held = _held(reach)
    if not held:
        return literal(NONE)
    everywhere = sorted(place for places in held.values() for place in places)
    admins = held.pop("admin", [])
    by_role = [
        (organization_id.in_(places), func.coalesce(default, number_of(role)))
        for role, places in held.items()
        if role is not None
    ]
    base = case(*by_role, else_=NONE) if by_role else literal(NONE)
    found = Highest(base, *(func.coalesce(one, NONE) for one in given))
    # Administrators first: what is decided without looking at grants is decided so.
    ways = [(organization_id.in_(admins), number_of("admin"))] if admins else []
    return case(*ways, (organization_id.in_(everywhere), found), else_=NONE)


def visible(reach: Reach, organization_id: Any, default: Any, given: ColumnElement[bool]) -> ColumnElement[bool]:
    """Match what an actor has any level on; `given` matches the rows on which something was granted."""
    held = _held(reach)
    admins = held.pop("admin", [])
    guests = held.pop(None, [])
    members = [place for places in held.values() for place in places]
    ways = []
    if admins:
        ways.append(organization_id.in_(admins))
    if members:
        ways.append(and_(organization_id.in_(members), or_(func.coalesce(default, number_of("read")) > NONE, given)))
    if guests:
        ways.append(and_(organization_id.in_(guests), given))
    return or_(literal(False), *ways)


def given_on(reach: Reach, place: Any, owner: Any) -> ScalarSelect[int | None]:
    """Return the highest level an actor was granted on a row itself; `place` is the column of `GRANT` that names it."""
    query = select(func.max(number_in(GRANT.role))).where(place == owner.id, _mine(reach))
    return query.correlate(owner).scalar_subquery()


def given_above(reach: Reach, collection_id: Any, owner: Any) -> ScalarSelect[int | None]:
    """Return the highest level an actor was granted on a collection or above it; a column of a row names it."""
    # Inside each other, so that each collection above is looked up by its index: joined, PostgreSQL reads all grants.
    there = select(func.max(number_in(GRANT.role))).where(GRANT.collection_id == ABOVE.ancestor_id, _mine(reach))
    query = select(func.max(there.correlate(ABOVE).scalar_subquery())).where(ABOVE.collection_id == collection_id)
    return query.correlate(owner).scalar_subquery()


def spaces_given(reach: Reach) -> Any:
    """Select the spaces on which an actor was granted something."""
    return select(GRANT.space_id).where(GRANT.space_id.is_not(None), _mine(reach)).correlate(None)


def collections_given(reach: Reach) -> Any:
    """Select the collections on which an actor was granted something, with all inside of them."""
    return (
        select(ABOVE.collection_id)
        .join(GRANT, GRANT.collection_id == ABOVE.ancestor_id)
        .where(_mine(reach))
        .correlate(None)
    )


def _held(reach: Reach) -> dict[Role | None, list[str]]:
    held: dict[Role | None, list[str]] = {}
    for place, role in sorted(reach.roles, key=str) if reach.kind == "user" else ():
        held.setdefault(role, []).append(place)
    return held


def _mine(reach: Reach) -> ColumnElement[bool]:
    """Match what was granted to an actor or to a team of theirs."""
    teams = select(IN_TEAM.team_id).where(
        IN_TEAM.user_id == reach.user_id, IN_TEAM.organization_id.in_(sorted({place for place, _ in reach.roles}))
    )
    return or_(GRANT.user_id == reach.user_id, GRANT.team_id.in_(teams.correlate(None)))
