"""`devkit spaces`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, place_lists, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.releasing.confirmation import ask_to_lose
from devkit.terminal.output import json_option
from devkit.terminal.texts import TITLE

EXAMPLES = """\b
Examples: devkit spaces
          devkit spaces --create Handbook
          devkit spaces --delete Handbook"""


@click.command("spaces", epilog=EXAMPLES)
@click.option("--create", "title", type=TITLE, metavar="TITLE", help="Create a space with this title.")
@click.option("--delete", "space", metavar="SPACE", help="Delete a space, by id, title or address; asks first.")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@click.option("--organization", help="Id or hostname of one organization; default: all of the token's.")
@choosing.options
@json_option
def command(
    title: str | None, space: str | None, yes: bool, organization: str | None, chosen: Choice, as_json: bool
) -> None:
    """List the spaces of a host that you may see, with ids, titles and addresses; create or delete one."""
    if space is not None and title is not None:
        raise click.UsageError("Give either --create or --delete.")
    client = chosen.client()
    if space is None and title is None:
        place_lists.print_list(client, "space", organization, as_json)
        return
    if space is not None:
        owner = organization_of(client, organization) if organization is not None else None
        path = f"/v1/spaces/{part(places.id_of(client, 'space', space, owner))}"
        shown = client.call("GET", path, shape=response_shapes.PLACE)
        what = f"{place_lists.line('space', shown)}: this deletes the space, which can be restored for 7 days"
        ask_to_lose(f"{what}, and takes it off all sites.", yes)
        client.call("DELETE", path)
        place_lists.print_changed(client, "space", shown, "Deleted", as_json)
        return
    owner = organization_of(client, organization)
    made = client.call("POST", f"/v1/orgs/{part(owner)}/spaces", {"title": title}, shape=response_shapes.PLACE)
    place_lists.print_changed(client, "space", made, "Created", as_json)
