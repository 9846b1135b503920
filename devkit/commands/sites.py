"""`devkit sites`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, place_lists, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.terminal.output import Problem, json_option
from devkit.terminal.texts import TITLE

EXAMPLES = """\b
Examples: devkit sites
          devkit sites --create Docs --space Handbook --publish"""


@click.command("sites", epilog=EXAMPLES)
@click.option("--create", "title", type=TITLE, metavar="TITLE", help="Create a site with this title.")
@click.option(
    "--space",
    "spaces",
    multiple=True,
    metavar="SPACE",
    help="With --create: a space to show on the site, by id, title or address; may be repeated.",
)
@click.option("--publish", is_flag=True, help="With --create: publish the site, so that everybody can read it.")
@click.option("--organization", help="Id or hostname of one organization; default: all of the token's.")
@choosing.options
@json_option
def command(
    title: str | None, spaces: tuple[str, ...], publish: bool, organization: str | None, chosen: Choice, as_json: bool
) -> None:
    """List the sites of a host that you may see, with ids, titles and addresses; with --create, create one."""
    if title is None and (spaces or publish):
        raise click.UsageError("--space and --publish are for a new site; give --create TITLE, too.")
    client = chosen.client()
    if title is None:
        place_lists.print_list(client, "site", organization, as_json)
        return
    owner = organization_of(client, organization)
    shown = places.ids_of(client, "space", spaces, owner)
    body = {"title": title, "spaces": shown} if shown else {"title": title}
    path = f"/v1/orgs/{part(owner)}/sites"
    made = client.call("POST", path, body, shape=response_shapes.PLACE)
    if publish:
        try:
            made = client.call("POST", f"{path}/{part(made['id'])}/publish", shape=response_shapes.PLACE)
        except Problem as problem:
            raise Problem(f"site {made['id']} was created but not published: {problem.sentence}") from problem
    place_lists.print_created(client, "site", made, as_json)
