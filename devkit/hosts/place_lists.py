"""What `devkit spaces` and `devkit sites` have in common: how spaces and sites are listed and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devkit.hosts import organizations, places
from devkit.hosts.budgets import Budget
from devkit.hosts.client import Client
from devkit.hosts.places import Kind
from devkit.terminal.output import one_line, print_result


def print_list(client: Client, kind: Kind, organization: str | None, as_json: bool) -> None:
    """Print the spaces or sites of one organization, or of all that the token is for; raises Problem."""
    budget = Budget()
    owners = organizations.every(client, budget)
    owners = [organizations.named(owners, organization)] if organization is not None else owners
    found = [one for owner in owners for one in places.listed(client, kind, owner["id"], budget)]
    nothing = f"There are no {kind}s that you may see; `devkit {kind}s --create TITLE` creates one."
    lines = [line(kind, one) for one in found] or [nothing]
    print_result(as_json, {"host": client.host, f"{kind}s": found}, *lines)


def print_changed(client: Client, kind: Kind, place: Mapping[str, Any], done: str, as_json: bool) -> None:
    """Print a space or site, and in a word what was done with it."""
    print_result(as_json, {"host": client.host, kind: place}, f"{done} {line(kind, place)}")


def line(kind: Kind, place: Mapping[str, Any]) -> str:
    """Show a space or site in one line: its id, its title, and its address.

    That of a space is where it is edited, as `--space` takes it; that of a site where it is published, if it is, which
    `--site` does not take if it is a proxy's.
    """
    urls = place["urls"]
    address = (urls.get("published") if kind == "site" else None) or urls.get("app") or ""
    return one_line("  ".join([place["id"], place.get("title") or "(without a title)", address])).rstrip()
