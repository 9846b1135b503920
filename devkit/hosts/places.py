"""Spaces and sites as people name them: by id, by address, or by a title that only one has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from devkit.hosts import organizations, response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import Client, RequestRefused, part
from devkit.terminal.output import Problem

Kind = Literal["space", "site"]
ID = re.compile(r"[A-Za-z0-9]{20}")
ADDRESS = re.compile(r"https?://[^/]+/(?:.*/)?(space|site)s/([A-Za-z0-9]{20})(?:[/?#].*)?")


def id_of(client: Client, kind: Kind, named: str, organization: str | None = None) -> str:
    """Return the id of a space or site by its id, address or title, in one organization or in all of the token's.

    Raises Problem where no title is that, or several are.
    """
    if not named.strip():
        raise Problem(f"which {kind}? The name is empty", hint="give its id, its title or its address")
    known = id_in(kind, named)
    if known is not None or named == "*":
        return known or named
    return chosen(kind, named, dict(_titles(client, kind, organization)), f"on {client.host} that you may see")


def id_in(kind: Kind, named: str) -> str | None:
    """Return the id that something is named by: the id itself, or one in an address; None for a title.

    Raises Problem for the address of something else.
    """
    found = ADDRESS.fullmatch(named.strip())
    if found is not None and found[1] != kind:
        raise Problem(
            f"{named.strip()[:200]} is the address of a {found[1]}", hint=f"give that of a {kind}, its id or title"
        )
    if found is not None:
        return found[2]
    return named if ID.fullmatch(named) else None


def chosen(kind: Kind, named: str, titles: Mapping[str, str], where: str) -> str:
    """Return the id of the only one with a title, of those given as id -> title; raises Problem with candidates."""
    wanted = named.strip().casefold()
    same = [one for one, title in titles.items() if title.strip().casefold() == wanted]
    if len(same) == 1:
        return same[0]
    if same:
        raise Problem(f"{len(same)} {kind}s are called `{named}`", hint=f"name one by its id: {', '.join(same[:10])}")
    from devkit.terminal.wording import nearest

    close = nearest(named, titles.values())
    if close:
        meant = f"did you mean `{close}`?"
    elif titles:
        meant = f"there are {', '.join([*titles.values()][:10])}"
    else:
        meant = f"there are none; `devkit {kind}s --create TITLE` creates one"
    raise Problem(f"there is no {kind} `{named[:200]}` {where}", hint=meant)


def ids_of(client: Client, kind: Kind, named: Iterable[str], organization: str | None = None) -> tuple[str, ...]:
    """Return the ids of several; raises Problem."""
    return tuple(id_of(client, kind, one, organization) for one in named)


def path_of_site(client: Client, named: str, organization: str | None = None) -> str:
    """Return the address of a site by id, title or address, in one organization or in all of the token's.

    Raises Problem where none is that, or several are.
    """
    budget = Budget()
    owners = [organizations.organization_of(client, organization)] if organization is not None else None
    owners = owners or [one["id"] for one in organizations.with_a_role(client, budget)]
    found = [(owner, one) for owner in owners for one in listed(client, "site", owner, budget)]
    titles = {str(one["id"]): str(one.get("title") or "") for _, one in found}
    known = id_in("site", named)
    if known is None or known not in titles:
        known = chosen("site", named, titles, f"on {client.host} that you may see")
    (owner,) = {owner for owner, one in found if one["id"] == known}
    return f"/v1/orgs/{part(owner)}/sites/{part(known)}"


def listed(client: Client, kind: Kind, organization: str, budget: Budget | None = None) -> list[dict[str, Any]]:
    """Return the spaces or sites of an organization; none where this is refused, as it may be to guests."""
    path = f"/v1/orgs/{part(organization)}/{kind}s"
    try:
        return list(client.every(path, shape=response_shapes.PLACE, budget=budget))
    except RequestRefused as refused:
        if refused.status not in (403, 404):
            raise
        return []


def _titles(client: Client, kind: Kind, organization: str | None) -> list[tuple[str, str]]:
    budget = Budget()
    owners = [organization] if organization else [one["id"] for one in organizations.every(client, budget)]
    found = [one for owner in owners for one in listed(client, kind, owner, budget)]
    return [(str(one["id"]), str(one.get("title") or "")) for one in found]
