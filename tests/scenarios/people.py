"""People with a role in an organization, for scenarios about who may do what."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import Role
from runtime.store import tokens
from tests import databases
from tests.conftest import Api, HostProcess, Tenant


@dataclass(frozen=True)
class Person:
    """A member, and their way in."""

    id: str
    api: Api


def person(host: HostProcess, owner: Tenant, role: Role | None = "read") -> Person:
    """Make a member with a role, or a guest."""
    token, user = reader(host, owner)
    if role != "read":
        changed = owner.api.call("PATCH", f"/v1/orgs/{owner.id}/members/{user}", {"role": role})
        assert changed.status == 200, changed.text
    return Person(user, Api(host.url, token))


def team(owner: Tenant, *members: Person) -> str:
    """Make a team of people."""
    body = {"title": "Team", "members": [one.id for one in members]}
    made: str = owner.api.call("PUT", f"/v1/orgs/{owner.id}/teams", body).json["id"]
    return made


def collection(owner: Tenant, parent: str | None = None, title: str = "C", api: Api | None = None) -> str:
    """Make a collection."""
    body = {"title": title} | ({"parent": parent} if parent else {})
    made = (api or owner.api).post(f"/v1/orgs/{owner.id}/collections", body)
    assert made.status == 201, made.text
    identifier: str = made.json["id"]
    return identifier


def space(owner: Tenant, parent: str | None = None, title: str = "S") -> str:
    """Make a space."""
    body = {"title": title} | ({"parent": parent} if parent else {})
    made = owner.api.post(f"/v1/orgs/{owner.id}/spaces", body)
    assert made.status == 201, made.text
    identifier: str = made.json["id"]
    return identifier


def give(
    owner: Tenant, on: str, role: Role | None, *, users: list[str] | None = None, teams: list[str] | None = None
) -> None:
    """Give a level on a space or a collection; `on` is its path."""
    body = {"role": role} | ({"users": users} if users else {}) | ({"teams": teams} if teams else {})
    answer = owner.api.post(f"{on}/permissions", body)
    assert answer.status == 204, answer.text


def reader(host: HostProcess, owner: Tenant) -> tuple[str, str]:
    """Make a member who may only read, with a token; people come in by themselves, so the database is asked."""
    token, digest = tokens.new_token()
    user = new_id()
    moment = "2026-01-01 00:00:00.000000"
    for statement, values in (
        ("INSERT INTO users VALUES (?, 'Reader', ?, ?)", (user, f"{user}@example.com", moment)),
        (
            "INSERT INTO members (organization_id, user_id, role, joined_at) VALUES (?, ?, 'read', ?)",
            (owner.id, user, moment),
        ),
        ("INSERT INTO tokens (id, user_id, digest, created_at) VALUES (?, ?, ?, ?)", (new_id(), user, digest, moment)),
        ("UPDATE epochs SET n = n + 1", ()),
    ):
        databases.ask(host.data, statement, values)
    return token, user
