"""Teams: groups of members."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, FailFast, Field, StringConstraints

from runtime.contract.base import Body, ListQuery, Moment, Text, WireModel
from runtime.contract.identifiers import ObjectId
from runtime.contract.members import OrganizationMember
from runtime.contract.titles import Line, Title

TeamTitle = Annotated[Title, StringConstraints(min_length=1, max_length=64)]
TeamRole = Literal["owner", "member"]
Person = Annotated[Text, StringConstraints(min_length=1, max_length=320)]
"""A member, by id or by e-mail address."""
People = Annotated[list[Person], Field(max_length=1000)]


class Team(WireModel):
    """A team."""

    object: Literal["team"] = "team"
    id: str
    title: str
    members: int
    spaces: int
    created_at: Moment
    permissions: dict[str, bool]


class TeamMember(WireModel):
    """What somebody is in a team; an `owner` manages its members."""

    role: TeamRole


class TeamMembership(WireModel):
    """A member of a team."""

    organization: OrganizationMember
    team: TeamMember
    permissions: dict[str, bool]


class MembersTeam(WireModel):
    """A team of a member."""

    team: Team
    member: TeamMember


class CreateTeam(Body):
    title: TeamTitle
    members: People | MISSING = MISSING


class UpdateTeam(Body):
    title: TeamTitle


class GivenMembership(Body):
    role: TeamRole


class UpdateTeamMembers(Body):
    """Who comes, who goes, and who is what; somebody in both `add` and `remove` goes."""

    add: People = Field(default_factory=list)
    remove: People = Field(default_factory=list)
    memberships: Annotated[dict[ObjectId, GivenMembership], Field(max_length=1000), FailFast()] = Field(
        default_factory=dict
    )


class UpdateTeamMember(Body):
    role: TeamRole | MISSING = MISSING


class TeamQuery(ListQuery):
    """The filters of the team list: those an owner manages, those whose title contains a text."""

    owner: Annotated[Text, StringConstraints(max_length=100)] | None = None
    title: Annotated[Line, StringConstraints(max_length=64)] | None = None


class MembersTeamQuery(ListQuery):
    title: Annotated[Line, StringConstraints(max_length=64)] | None = None
