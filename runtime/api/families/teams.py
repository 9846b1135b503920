"""Teams and their members."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.members import MEMBER
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.teams import (
    CreateTeam,
    MembersTeam,
    MembersTeamQuery,
    Team,
    TeamMembership,
    TeamQuery,
    UpdateTeam,
    UpdateTeamMember,
    UpdateTeamMembers,
)
from runtime.serializers import teams as serializers
from runtime.services import membership as service
from runtime.store import membership
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.organizations import MemberRow, OrganizationRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow

TEAM = Resource(
    "team",
    TeamRow,
    at="teams/{teamId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=Team,
    serialize=serializers.teams,
    order=newest_first(TeamRow.created_at, TeamRow.id),
)
TEAM_MEMBER = Resource(
    "team_member",
    TeamMemberRow,
    at="members/{userId}",
    within=TEAM,
    parent_column="team_id",
    key="user_id",
    model=TeamMembership,
    serialize=serializers.memberships,
    order=newest_first(TeamMemberRow.added_at, TeamMemberRow.user_id),
)
IN_ORDER_OF_JOINING = newest_first(TeamMemberRow.added_at, TeamMemberRow.team_id)

teams = Family("Teams", TEAM, TEAM_MEMBER)


@teams.list(f"GET {TEAM.collection}", TEAM, needs=member("read"))
def list_teams_in_organization_by_id(call: Call, organization: OrganizationRow, query: TeamQuery) -> Conditions:
    """List the teams of an organization."""
    return membership.teams(organization.id, query.title, query.owner)


@teams.operation(f"PUT {TEAM.collection}", TEAM, needs=member("admin"), status=201)
def create_organization_team(call: Call, organization: OrganizationRow, body: CreateTeam) -> TeamRow:
    """Create a team."""
    people = [] if body.members is MISSING else body.members
    return service.create_team(call.session, organization, body.title, people)


crud.get(teams, TEAM, "getTeamInOrganizationById", "Get a team.", needs=member("read"))
crud.update(teams, TEAM, "updateTeamInOrganizationById", "Change a team.", needs=member("admin"), body=UpdateTeam)
crud.delete(
    teams,
    TEAM,
    "removeTeamFromOrganizationById",
    "Remove a team.",
    needs=member("admin", on="organization"),
    status=204,
)
crud.list_of(
    teams, TEAM_MEMBER, "listTeamMembersInOrganizationById", "List the members of a team.", needs=member("read")
)


@teams.operation(f"PUT {TEAM_MEMBER.collection}", needs=member("admin"), status=204)
def update_members_in_organization_team(call: Call, team: TeamRow, body: UpdateTeamMembers) -> None:
    """Add, remove and change members of a team."""
    service.change_team(call.session, team, body)


@teams.operation(f"PUT {TEAM_MEMBER.path}", needs=member("admin"), status=204)
def add_member_to_organization_team_by_id(
    call: Call, team: TeamRow, team_member: TeamMemberRow | None, body: UpdateTeamMember
) -> None:
    """Add a member to a team, or change their role in it."""
    role = None if body.role is MISSING else body.role
    service.join(call.session, team, call.path["userId"], role)


crud.delete(
    teams,
    TEAM_MEMBER,
    "deleteMemberFromOrganizationTeamById",
    "Remove a member from a team.",
    needs=member("admin"),
)


@teams.list(
    f"GET {MEMBER.path}/teams",
    TEAM_MEMBER.shown_as(MembersTeam, serializers.teams_of_member),
    needs=member("read"),
    order=IN_ORDER_OF_JOINING,
)
def list_teams_for_organization_member(call: Call, member: MemberRow, query: MembersTeamQuery) -> Conditions:
    """List the teams of a member."""
    return membership.teams_of(member, query.title)
