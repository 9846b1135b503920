"""Grants to people and teams on spaces and collections."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import MISSING, Field, model_validator

from runtime.contract.base import Body, ListQuery, WireModel
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import Role, User
from runtime.contract.teams import Person, Team

MAX_INVITED = 1000


class InviteToContent(Body):
    """A level for people and teams; null removes access. People are named by id or e-mail address."""

    role: Role | None
    users: Annotated[list[Person], Field(min_length=1, max_length=MAX_INVITED)] | MISSING = MISSING
    teams: Annotated[list[ObjectId], Field(min_length=1, max_length=MAX_INVITED)] | MISSING = MISSING

    @model_validator(mode="after")
    def _names_somebody(self) -> Self:
        if self.users is MISSING and self.teams is MISSING:
            raise ValueError("must have `users` or `teams`")
        return self


class UpdateGrant(Body):
    """Another level for an existing grant; null removes it."""

    role: Role | MISSING | None = MISSING


class UserContentPermission(WireModel):
    """A person and their level."""

    permission: Role
    user: User


class TeamContentPermission(WireModel):
    """A team and the level its members have."""

    permission: Role
    team: Team


class AggregateQuery(ListQuery):
    """With `role`, only people who have exactly this level."""

    role: Role | None = None
