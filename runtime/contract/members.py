"""Members of organizations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, StringConstraints

from runtime.contract.base import Body, ListQuery, Moment, Text, WireModel
from runtime.contract.organizations import Role, User
from runtime.contract.spaces import Space

MemberSort = Literal["joinedAt", "lastSeenAt"]


class OrganizationMember(WireModel):
    """A person in an organization; `id` is the person's. A null role is a guest's."""

    object: Literal["member"] = "member"
    id: str
    role: Role | None
    user: User
    disabled: bool
    joined_at: Moment
    last_seen_at: Moment | MISSING = MISSING
    sso: bool
    spaces: int
    teams: int


class MemberQuery(ListQuery):
    """The filters of the member list; sorted by when they were last seen, it holds those who were."""

    order: Literal["asc", "desc"] = "desc"
    role: Role | Literal["guest"] | None = None
    search: Annotated[Text, StringConstraints(max_length=200)] | None = None
    sort: MemberSort = "joinedAt"


class OrderedQuery(ListQuery):
    """A list whose direction may be asked for."""

    order: Literal["asc", "desc"] = "desc"


class MemberSpace(WireModel):
    """A space of a member, and the level they have on it."""

    permission: Role
    space: Space


class UpdateMember(Body):
    """A change of a member's role; null makes a guest."""

    role: Role | MISSING | None = MISSING
