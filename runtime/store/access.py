"""Access to a space or collection: who may see it, and its grants; how many spaces people and teams see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, case, func, not_, or_, select
from sqlalchemy.orm import Session, aliased

from runtime.contract.organizations import Role
from runtime.store import structure
from runtime.store.content_levels import GRANT, IN_TEAM, number_in
from runtime.store.levels import NONE, Highest, level_of, number_of
from runtime.store.rows import Conditions
from runtime.store.structure import Content
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.organizations import MemberRow
from runtime.store.tables.spaces import SpaceRow

SPACE = aliased(SpaceRow, name="seen")


@dataclass(frozen=True, slots=True)
class Audience:
    """Access to a space or a collection: `line` has its and its ancestors' ids, `default` the effective level."""

    organization_id: str
    line: frozenset[str]
    default: int | None

    def everybody(self, role: Role | None) -> Conditions:
        """Match the members who see it, or those who have exactly this level."""
        member = [MemberRow.organization_id == self.organization_id, MemberRow.disabled.is_(False)]
        if role is None:
            return [*member, self._at_least(number_of("read"))]
        number = number_of(role)
        return [*member, self._at_least(number), not_(self._at_least(number + 1))]

    def levels(self, session: Session, user_ids: Sequence[str]) -> dict[str, Role]:
        """Return the levels of members, in one query; those without one are left out."""
        query = select(MemberRow.user_id, self._level()).where(
            MemberRow.organization_id == self.organization_id, MemberRow.user_id.in_(user_ids)
        )
        found = ((user_id, level_of(number)) for user_id, number in session.execute(query))
        return {user_id: level for user_id, level in found if level is not None}

    def _at_least(self, number: int) -> ColumnElement[bool]:
        """Match members by sets that are computed once, not for each member."""
        given = self._given(), number_in(GRANT.role) >= number
        direct = select(GRANT.user_id).where(*given, GRANT.user_id.is_not(None))
        in_team = select(IN_TEAM.user_id).join(GRANT, GRANT.team_id == IN_TEAM.team_id).where(*given)
        return or_(self._base() >= number, MemberRow.user_id.in_(direct), MemberRow.user_id.in_(in_team))

    def _base(self) -> ColumnElement[int]:
        role = number_in(MemberRow.role)
        default = role if self.default is None else self.default
        return case((MemberRow.role.is_(None), NONE), (MemberRow.role == "admin", number_of("admin")), else_=default)

    def _level(self) -> ColumnElement[int]:
        direct = select(func.max(number_in(GRANT.role))).where(self._given(), GRANT.user_id == MemberRow.user_id)
        in_team = (
            select(func.max(number_in(GRANT.role)))
            .join(IN_TEAM, IN_TEAM.team_id == GRANT.team_id)
            .where(self._given(), IN_TEAM.user_id == MemberRow.user_id)
        )
        given = (query.correlate(MemberRow).scalar_subquery() for query in (direct, in_team))
        return Highest(self._base(), *(func.coalesce(one, NONE) for one in given))

    def _given(self) -> ColumnElement[bool]:
        ids = sorted(self.line)
        return or_(GRANT.space_id.in_(ids), GRANT.collection_id.in_(ids))


NOBODY = Audience("", frozenset(), NONE)


def audience(session: Session, row: Content) -> Audience:
    """Return who sees a space or a collection."""
    if isinstance(row, CollectionRow):
        above = structure.ancestors(session, row.id)
        return Audience(row.organization_id, frozenset(above), row.effective_level)
    above = structure.ancestors(session, row.collection_id) if row.collection_id is not None else set()
    default = session.scalar(select(SpaceRow.default_number()).where(SpaceRow.id == row.id))
    return Audience(row.organization_id, frozenset({row.id, *above}), default)


def given_to_people(row: Content) -> Conditions:
    """Match direct grants to people on a space or a collection."""
    return [_on(row), GrantRow.user_id.is_not(None)]


def given_to_teams(row: Content) -> Conditions:
    """Match direct grants to teams on a space or a collection."""
    return [_on(row), GrantRow.team_id.is_not(None)]


def _on(row: Content) -> ColumnElement[bool]:
    return GrantRow.space_id == row.id if isinstance(row, SpaceRow) else GrantRow.collection_id == row.id
