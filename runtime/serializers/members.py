"""Members of organizations."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.members import MemberSpace, OrganizationMember
from runtime.serializers.people import users
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import counting, membership
from runtime.store.levels import levels_on
from runtime.store.reach import Reach
from runtime.store.tables.organizations import MemberRow, UserRow
from runtime.store.tables.spaces import SpaceRow


def members(view: View, rows: Sequence[MemberRow]) -> list[OrganizationMember]:
    """Show members, with how many spaces and teams they have in their organization."""
    people_rows = view.by_id(UserRow, (row.user_id for row in rows))
    people = {user.id: user for user in users(view, list(people_rows.values()))}
    spaces = counting.of_members(view.session, rows)
    teams = membership.count_teams(view.session, rows)
    return [
        OrganizationMember(
            id=row.user_id,
            role=row.role,
            user=people[row.user_id],
            disabled=row.disabled,
            joined_at=row.joined_at,
            last_seen_at=row.last_seen_at or MISSING,
            sso=row.sso,
            spaces=spaces[row.organization_id, row.user_id],
            teams=teams.get((row.organization_id, row.user_id), 0),
        )
        for row in rows
    ]


def spaces_of_member(view: View, rows: Sequence[SpaceRow], *, of: Reach | None = None) -> list[MemberSpace]:
    """Show spaces with the level that a member has on each, or the actor where none is given."""
    levels = levels_on(view.session, of or view.reach, rows)
    pairs = zip(levels, spaces(view, rows), strict=True)
    return [MemberSpace(permission=level, space=space) for level, space in pairs if level is not None]
