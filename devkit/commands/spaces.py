"""`devkit spaces`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, place_lists, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.terminal.output import json_option
from devkit.terminal.texts import TITLE

EXAMPLES = """\b
Examples: devkit spaces
          devkit spaces --create Handbook"""


@click.command("spaces", epilog=EXAMPLES)
@click.option("--create", "title", type=TITLE, metavar="TITLE", help="Create a space with this title.")
@click.option("--organization", help="Id or hostname of one organization; default: all of the token's.")
@choosing.options
@json_option
def command(title: str | None, organization: str | None, chosen: Choice, as_json: bool) -> None:
    """List the spaces of a host that you may see, with ids, titles and addresses; with --create, create one."""
    client = chosen.client()
    if title is None:
        place_lists.print_list(client, "space", organization, as_json)
        return
    owner = organization_of(client, organization)
    made = client.call("POST", f"/v1/orgs/{part(owner)}/spaces", {"title": title}, shape=response_shapes.PLACE)
    place_lists.print_changed(client, "space", made, "Created", as_json)
