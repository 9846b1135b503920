"""`devkit unpublish`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, installations, response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, part
from devkit.hosts.organizations import with_a_role
from devkit.projects import completion
from devkit.releasing.confirmation import ask_to_lose
from devkit.releasing.history import versions
from devkit.terminal.output import Problem, json_option, one_line, print_result

MOST_NAMED = 5


@click.command("unpublish")
@click.argument("name", shell_complete=completion.integration)
@choosing.options
@json_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def command(name: str, chosen: Choice, as_json: bool, yes: bool) -> None:
    """Remove the integration NAME from the host, with its versions, installations, configurations and events.

    Example: devkit unpublish my-integration
    """
    client = chosen.client()
    if not any(
        item["name"] == name for item in client.every("/v1/integrations", shape=response_shapes.NAMED, search=name)
    ):
        raise Problem(f"there is no integration {name} on {client.host}")
    if not yes:
        ask_to_lose(f"{name} on {client.host}: this deletes {_what_goes(client, name)}, and all its events.", yes)
    client.call("DELETE", f"/v1/integrations/{part(name)}")
    print_result(as_json, {"name": name, "unpublished": True}, f"Unpublished {name}.")


def _what_goes(client: Client, name: str) -> str:
    """Describe what is deleted: the number of versions, and the person's organizations that have it installed."""
    kept = sum(1 for _ in versions(client, name))
    budget = Budget()
    found = [one for one in with_a_role(client, budget) if installations.find(client, name, one["id"], budget)]
    where = [one_line(one["title"]) for one in found]
    listed = ", ".join(where[:MOST_NAMED]) + (" and more" if len(where) > MOST_NAMED else "")
    of_yours = f"installed in your organizations: {listed}" if where else "installed in none of your organizations"
    return f"{kept} version{'s' if kept > 1 else ''}, every installation with its configuration ({of_yours})"
