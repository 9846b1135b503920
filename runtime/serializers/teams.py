"""Teams and their members."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.permissions import MEMBERSHIP, TEAM, permissions
from runtime.contract.teams import MembersTeam, Team, TeamMember, TeamMembership
from runtime.serializers.members import members
from runtime.serializers.view import View
from runtime.store import counting, membership, rows
from runtime.store.rows import HOST
from runtime.store.tables.organizations import MemberRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow


def teams(view: View, teams_: Sequence[TeamRow]) -> list[Team]:
    """Show teams, each with its members and spaces counted and what the actor may do with it."""
    ids = [row.id for row in teams_]
    counts, spaces = membership.count_team_members(view.session, ids), counting.of_teams(view.session, teams_)
    return [
        Team(
            id=row.id,
            title=row.title,
            members=counts.get(row.id, 0),
            spaces=spaces.get(row.id, 0),
            created_at=row.created_at,
            permissions=permissions(TEAM, level),
        )
        for row, level in zip(teams_, view.levels(teams_), strict=True)
    ]


def memberships(view: View, memberships_: Sequence[TeamMemberRow]) -> list[TeamMembership]:
    """Show the members of a team, as members of its organization."""
    organizations = {row.organization_id for row in memberships_}
    people = [row.user_id for row in memberships_]
    among = (MemberRow.organization_id.in_(organizations), MemberRow.user_id.in_(people))
    shown = {member.id: member for member in members(view, rows.every(view.session, HOST, MemberRow, *among))}
    return [
        TeamMembership(
            organization=shown[row.user_id],
            team=TeamMember(role=row.role),
            permissions=permissions(MEMBERSHIP, level),
        )
        for row, level in zip(memberships_, view.levels(memberships_), strict=True)
    ]


def teams_of_member(view: View, memberships_: Sequence[TeamMemberRow]) -> list[MembersTeam]:
    """Show the teams of a member, with what the member is there."""
    teams_by_id = view.by_id(TeamRow, (row.team_id for row in memberships_))
    shown = {team.id: team for team in teams(view, list(teams_by_id.values()))}
    return [MembersTeam(team=shown[row.team_id], member=TeamMember(role=row.role)) for row in memberships_]
