"""Resolves the organization of a command."""

from __future__ import annotations

from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.client import Client
from devkit.terminal.output import Problem


def with_a_role(client: Client) -> list[dict[str, Any]]:
    """List the organizations in which the owner of the token is more than a guest."""
    items: list[dict[str, Any]] = list(client.every("/v1/orgs", shape=response_shapes.ORGANIZATION))
    return [item for item in items if (item.get("permissions") or {}).get("listMembers") is not False]


def organization_of(client: Client, name: str | None, hint: str = "give --organization") -> str:
    """Return the id of an organization by id or hostname; without one, that of the only one with a role.

    `hint` tells what to do if the token has several. Raises Problem.
    """
    items = with_a_role(client)
    known = ", ".join(f"{item['id']} ({item['title']})" for item in items) or "none"
    if name is not None:
        for item in items:
            if name in (item["id"], item.get("hostname")):
                return str(item["id"])
        raise Problem(f"there is no organization `{name}`, or this token does not belong to it; yours: {known}")
    if len(items) == 1:
        return str(items[0]["id"])
    raise Problem(f"which organization? {hint[0].upper()}{hint[1:]}; yours: {known}")
