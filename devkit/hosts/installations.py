"""Finds and describes installations of an integration."""

from __future__ import annotations

from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import Client, part
from devkit.terminal.output import Problem, one_line

PARTS = {"space": "spaces", "site": "sites"}
CREATED_AT = {"space": "content", "site": "sites"}
"""The pages of an organization on which parts are created."""


def path_of(name: str, installation: str = "") -> str:
    """Address of the installations of an integration, or of one."""
    path = f"/v1/integrations/{part(name)}/installations"
    return f"{path}/{part(installation)}" if installation else path


def find(client: Client, name: str, organization: str, budget: Budget | None = None) -> dict[str, Any] | None:
    """Find the installation of an integration on an organization (its id); None if there is none."""
    path = f"/v1/orgs/{part(organization)}/installations"
    items = client.every(path, shape=response_shapes.INSTALLED, budget=budget, search=name)
    return next((item["installation"] for item in items if item["integration"]["name"] == name), None)


def need(client: Client, name: str, organization: str) -> dict[str, Any]:
    """Find the installation; raises Problem if there is none."""
    found = find(client, name, organization)
    if found is None:
        client.call(
            "GET", f"/v1/integrations/{part(name)}", shape=response_shapes.INTEGRATION
        )  # or it says there is none
        raise Problem(f"{name} is not installed on this organization", hint=f"`devkit install {name}` installs it")
    return found


def parts_of(
    client: Client, name: str, installation: dict[str, Any], budget: Budget | None = None
) -> dict[str, list[dict[str, Any]]]:
    """List the spaces and sites of an installation, with their titles."""
    at, shapes = path_of(name, installation["id"]), response_shapes.PARTS
    return {
        kind: list(client.every(f"{at}/{PARTS[kind]}", shape=shapes[kind], budget=budget, extended="true"))
        for kind in PARTS
    }


def kinds_for(client: Client, name: str) -> list[str]:
    """List the kinds of parts that an integration is made for; none if it is for organizations as a whole."""
    target = client.call("GET", f"/v1/integrations/{part(name)}").get("target", "all")
    return [kind for kind in PARTS if target in ("all", kind)]


def id_of(item: dict[str, Any], kind: str) -> str:
    """Return the id of the space or site of an entry, which hosts show as a whole or by its id."""
    thing = item[kind]
    return str(thing["id"] if isinstance(thing, dict) else thing)


def lines(name: str, installation: dict[str, Any], parts: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Describe where an integration is installed, and what is missing."""
    told = [f"{name} on the organization: {_status(installation)}"]
    for kind, items in parts.items():
        if installation.get(f"{kind}_selection") == "all":
            told.append(f"  all {PARTS[kind]}, including future ones")
        for item in items:
            thing = item[kind]
            title, id_ = (thing.get("title") or "", thing["id"]) if isinstance(thing, dict) else ("", thing)
            told.append(f"  {kind} {id_} {title}: {_status(item)}".replace(" :", ":"))
    if isinstance(endpoint := installation["urls"].get("publicEndpoint"), str):
        told.append(f"  public endpoint {endpoint}")
    return [one_line(line) for line in told]


def next_step(
    client: Client, name: str, owner: str, installation: dict[str, Any] | None, parts: dict[str, list[dict[str, Any]]]
) -> str:
    """Say what comes next before an integration is at work; "" where nothing is missing. Raises Problem."""
    wanted = kinds_for(client, name)
    if not wanted:  # it is for the organization as a whole
        return f"Next: `devkit install {name}` starts using it." if installation is None else ""
    if installation is None:
        every = " ".join(f"--all-{PARTS[kind]}" for kind in wanted)
        some = " and ".join(f"--{kind}" for kind in wanted)
        return f"Next: `devkit install {name} {every}` starts using it; to choose where, use {some}."
    if installation["status"] == "pending" or any(parts.values()):
        return ""
    there = {kind: next(client.every(f"/v1/orgs/{part(owner)}/{PARTS[kind]}", 1), None) is not None for kind in wanted}
    if not any(there.values()):
        kinds = " and no ".join(wanted)
        pages = " or ".join(f"{client.host}/app/orgs/{part(owner)}/{CREATED_AT[kind]}" for kind in wanted)
        return f"The organization has no {kinds} yet: create one at {pages}."
    options = " ".join(f"--all-{PARTS[kind]}" for kind in wanted if there[kind])
    return f"It is not on a {' or a '.join(wanted)} yet: `devkit install {name} {options}` adds it."


def _status(installation: dict[str, Any]) -> str:
    if installation["status"] != "pending":
        return str(installation["status"])
    where = installation["urls"].get("app")
    return f"pending until it is configured{f' at {where}' if where else ''}"
