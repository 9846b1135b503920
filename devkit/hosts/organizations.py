"""Resolves the organization of a command."""

from __future__ import annotations

from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import Client
from devkit.terminal.output import Problem, shortened


def every(client: Client, budget: Budget | None = None) -> list[dict[str, Any]]:
    """List the organizations of the owner of the token, also those in which they are a guest."""
    return list(client.every("/v1/orgs", shape=response_shapes.ORGANIZATION, budget=budget))


def with_a_role(client: Client, budget: Budget | None = None) -> list[dict[str, Any]]:
    """List the organizations in which the owner of the token is more than a guest."""
    return [one for one in every(client, budget) if _has_a_role(one)]


def organization_of(client: Client, name: str | None, hint: str = "give --organization") -> str:
    """Return the id of an organization by id or hostname; without a name, of the only one in which there is a role.

    `hint` tells what to do if the token has several. Raises Problem.
    """
    items = every(client)
    if name is not None:
        found = named(items, name)
        if not _has_a_role(found):
            raise Problem(
                f"you are a guest in {shortened(found['title'])}",
                hint="this needs a role; ask its administrators for one",
            )
        return str(found["id"])
    items = [one for one in items if _has_a_role(one)]
    if len(items) == 1:
        return str(items[0]["id"])
    raise Problem(f"which organization? {hint[0].upper()}{hint[1:]}; yours: {_listed(items)}")


def named(organizations: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the organization with an id or hostname; raises Problem."""
    for one in organizations:
        if name in (one["id"], one.get("hostname")):
            return one
    known = _listed(organizations)
    raise Problem(f"there is no organization `{name}`, or this token does not belong to it; yours: {known}")


def _has_a_role(organization: dict[str, Any]) -> bool:
    return bool(organization["permissions"]["listMembers"])


def _listed(organizations: list[dict[str, Any]]) -> str:
    return shortened(", ".join(f"{one['id']} ({one['title']})" for one in organizations)) or "none"
