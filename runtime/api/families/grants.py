"""Access of people and teams to spaces and collections: the same operations for both."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.crud import described
from runtime.api.families.collections import COLLECTION
from runtime.api.families.members import MEMBER
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource, RowsOf
from runtime.contract import errors
from runtime.contract.grants import (
    AggregateQuery,
    InviteToContent,
    TeamContentPermission,
    UpdateGrant,
    UserContentPermission,
)
from runtime.contract.organizations import Role
from runtime.serializers import grants as serializers
from runtime.services import granting
from runtime.store import access
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.grants import GrantRow

ADMIN = member("admin")
NEWEST_FIRST = newest_first(GrantRow.created_at, GrantRow.id)
AGGREGATE = MEMBER.shown_as(UserContentPermission, partial(serializers.of_everybody, on=access.NOBODY))


def _person(content: Resource[Any]) -> Resource[GrantRow]:
    return Resource(
        f"{content.name}_user",
        GrantRow,
        at="permissions/users/{userId}",
        within=content,
        parent_column=f"{content.name}_id",
        key="user_id",
        model=UserContentPermission,
        serialize=serializers.of_people,
        order=NEWEST_FIRST,
    )


def _team(content: Resource[Any]) -> Resource[GrantRow]:
    return Resource(
        f"{content.name}_team",
        GrantRow,
        at="permissions/teams/{teamId}",
        within=content,
        parent_column=f"{content.name}_id",
        key="team_id",
        model=TeamContentPermission,
        serialize=serializers.of_teams,
        order=NEWEST_FIRST,
    )


PEOPLE = {content: _person(content) for content in (SPACE, COLLECTION)}
TEAMS = {content: _team(content) for content in (SPACE, COLLECTION)}

grants = Family("Permissions", *PEOPLE.values(), *TEAMS.values())


def _register(content: Resource[Any]) -> None:
    """Register the access operations of one kind of content."""
    word = content.name.capitalize()
    path = f"{content.path}/permissions"
    named = {content.name: content.row}

    def invite(call: Call, body: InviteToContent, **rows: Any) -> None:
        granting.invite(call.session, call.actor.reach, rows[content.name], body)

    described(
        invite,
        f"inviteTo{word}",
        f"Give people and teams access to a {content.name}.",
        {**named, "body": InviteToContent},
    )
    grants.operation(f"POST {path}", needs=ADMIN, status=204)(invite)

    def everybody(call: Call, query: AggregateQuery, **rows: Any) -> RowsOf:
        on = access.audience(call.session, rows[content.name])
        shown = MEMBER.shown_as(UserContentPermission, partial(serializers.of_everybody, on=on))
        return RowsOf(shown, on.everybody(query.role))

    described(
        everybody,
        f"listPermissionsAggregateIn{word}",
        f"List everybody who has access to a {content.name}, with the level they have.",
        {**named, "query": AggregateQuery},
    )
    grants.list(f"GET {path}/aggregate", AGGREGATE, needs=ADMIN)(everybody)
    for kind, resource, given in (
        ("User", PEOPLE[content], access.given_to_people),
        ("Team", TEAMS[content], access.given_to_teams),
    ):
        _register_kind(content, kind, resource, given)


def _register_kind(content: Resource[Any], kind: str, resource: Resource[GrantRow], given: Any) -> None:
    word, who = content.name.capitalize(), "a person" if kind == "User" else "a team"

    def every(call: Call, **rows: Any) -> Conditions:
        conditions: Conditions = given(rows[content.name])
        return conditions

    described(
        every,
        f"list{kind}PermissionsIn{word}",
        f"List the {'people' if kind == 'User' else 'teams'} with direct access to a {content.name}.",
        {content.name: content.row},
    )
    grants.list(f"GET {resource.collection}", resource, needs=ADMIN)(every)

    def change(call: Call, rows: dict[str, Any], role: Role | None) -> bool:
        on, grant = rows[content.name], rows[resource.name]
        return granting.change(call.session, call.actor.reach, on, grant, role)

    def update(call: Call, body: UpdateGrant, **rows: Any) -> None:
        if body.role is not MISSING and not change(call, rows, body.role):
            raise errors.NotFound("The access was removed a moment ago.")

    described(
        update,
        f"update{kind}PermissionIn{word}",
        f"Change the direct access of {who} to a {content.name}.",
        {content.name: content.row, resource.name: GrantRow, "body": UpdateGrant},
    )
    grants.operation(f"PATCH {resource.path}", needs=ADMIN, status=204)(update)

    def remove(call: Call, **rows: Any) -> None:
        if rows[resource.name] is None or not change(call, rows, None):
            call.status = 204

    described(
        remove,
        f"remove{kind}From{word}",
        f"Take away the direct access of {who} to a {content.name}.",
        {content.name: content.row, resource.name: GrantRow | None},
    )
    grants.operation(f"DELETE {resource.path}", needs=ADMIN, status=205)(remove)


for _content in (SPACE, COLLECTION):
    _register(_content)
