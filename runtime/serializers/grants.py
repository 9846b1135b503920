"""Grants to people and teams on spaces and collections, and what people have there altogether."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.grants import TeamContentPermission, UserContentPermission
from runtime.serializers.people import users
from runtime.serializers.teams import teams
from runtime.serializers.view import View
from runtime.store.access import Audience
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.organizations import MemberRow, UserRow
from runtime.store.tables.teams import TeamRow


def of_people(view: View, rows: Sequence[GrantRow]) -> list[UserContentPermission]:
    """Show the grants to people."""
    found = list(view.by_id(UserRow, (row.user_id for row in rows if row.user_id)).values())
    shown = {user.id: user for user in users(view, found)}
    return [UserContentPermission(permission=row.role, user=shown[row.user_id]) for row in rows if row.user_id]


def of_teams(view: View, rows: Sequence[GrantRow]) -> list[TeamContentPermission]:
    """Show the grants to teams."""
    found = list(view.by_id(TeamRow, (row.team_id for row in rows if row.team_id)).values())
    shown = {team.id: team for team in teams(view, found)}
    return [TeamContentPermission(permission=row.role, team=shown[row.team_id]) for row in rows if row.team_id]


def of_everybody(view: View, rows: Sequence[MemberRow], *, on: Audience) -> list[UserContentPermission]:
    """Show what members have on a space or a collection altogether."""
    levels = on.levels(view.session, [row.user_id for row in rows])
    found = list(view.by_id(UserRow, (row.user_id for row in rows)).values())
    shown = {user.id: user for user in users(view, found)}
    return [
        UserContentPermission(permission=levels[row.user_id], user=shown[row.user_id])
        for row in rows
        if row.user_id in levels
    ]
