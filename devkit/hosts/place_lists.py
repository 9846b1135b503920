"""What `devkit spaces` and `devkit sites` have in common: how spaces and sites are listed and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devkit.hosts import organizations, places
from devkit.hosts.client import Client
from devkit.hosts.places import Kind
from devkit.terminal.output import one_line, print_result


def print_list(client: Client, kind: Kind, organization: str | None, as_json: bool) -> None:
    """Print the spaces or sites of one organization, or of all that the token is for; raises Problem."""
    owners = organizations.every(client)
    owners = [organizations.named(owners, organization)] if organization else owners
    found = [one for owner in owners for one in places.listed(client, kind, owner["id"])]
    nothing = f"There are no {kind}s that you may see; `devkit {kind}s --create TITLE` creates one."
    print_result(as_json, {"host": client.host, f"{kind}s": found}, "\n".join(map(line, found)) or nothing)


def print_created(client: Client, kind: Kind, created: Mapping[str, Any], as_json: bool) -> None:
    """Print a space or site that has just been created."""
    print_result(as_json, {"host": client.host, kind: created}, f"Created {line(created)}")


def line(place: Mapping[str, Any]) -> str:
    """Show a space or site in one line: its id, its title, and where it is published or else edited."""
    urls = place["urls"]
    address = urls.get("published") or urls.get("app") or ""
    return one_line("  ".join([place["id"], place.get("title") or "(without a title)", address])).rstrip()
