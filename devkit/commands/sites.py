"""`devkit sites`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, place_lists, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.releasing.confirmation import ask_to_lose
from devkit.terminal.output import Problem, json_option
from devkit.terminal.texts import TITLE

EXAMPLES = """\b
Examples: devkit sites
          devkit sites --create Docs --space Handbook --publish
          devkit sites --site Docs --space Reference
          devkit sites --site Docs --unpublish
          devkit sites --site Docs --delete"""


@click.command("sites", epilog=EXAMPLES)
@click.option("--create", "title", type=TITLE, metavar="TITLE", help="Create a site with this title.")
@click.option(
    "--space",
    "spaces",
    multiple=True,
    metavar="SPACE",
    help="A space to show on the site of --create or --site, by id, title or address; may be repeated.",
)
@click.option(
    "--site", metavar="SITE", help="An existing site, by id, title or address: add a space, publish, unpublish, delete."
)
@click.option("--publish", is_flag=True, help="Publish the site of --create or --site, so that it can be read.")
@click.option("--unpublish", is_flag=True, help="Take the site of --site off the web; its settings stay.")
@click.option("--delete", is_flag=True, help="Delete the site of --site, but none of its spaces; asks first.")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@click.option("--organization", help="Id or hostname of one organization; default: all of the token's.")
@choosing.options
@json_option
def command(
    title: str | None,
    spaces: tuple[str, ...],
    site: str | None,
    publish: bool,
    unpublish: bool,
    delete: bool,
    yes: bool,
    organization: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """List the sites of a host that you may see, with ids, titles and addresses; create, change or delete one."""
    if title is None and site is None and (spaces or publish or unpublish or delete):
        raise click.UsageError("which site? Give --site SITE, or --create TITLE for a new one.")
    if site is not None and (title is not None or publish + unpublish + delete > 1):
        raise click.UsageError("with --site, give one of --publish, --unpublish and --delete, and no --create.")
    if site is not None and not (spaces or publish or unpublish or delete):
        raise click.UsageError("what of the site? Give --space SPACE, --publish, --unpublish or --delete.")
    if spaces and (unpublish or delete):
        raise click.UsageError("--space adds a space to a site; it goes with --publish alone.")
    if title is not None and (unpublish or delete):
        raise click.UsageError("--unpublish and --delete are for an existing site; give --site SITE, not --create.")
    client = chosen.client()
    if title is None and site is None:
        place_lists.print_list(client, "site", organization, as_json)
        return
    if site is not None:
        at = places.path_of_site(client, site, organization)
        if delete:
            changed = client.call("GET", at, shape=response_shapes.PLACE)
            what = f"{place_lists.line('site', changed)}: this deletes the site with its settings for good"
            ask_to_lose(f"{what}; its spaces stay.", yes)
            client.call("DELETE", at)
            place_lists.print_changed(client, "site", changed, "Deleted", as_json)
            return
        owner = at.split("/")[3]  # spaces of other organizations cannot be on it
        for space in places.ids_of(client, "space", spaces, owner):
            client.call("POST", f"{at}/site-spaces", {"spaceId": space}, shape=response_shapes.ADDED)
        if not (publish or unpublish):
            changed = client.call("GET", at, shape=response_shapes.PLACE)
            place_lists.print_changed(client, "site", changed, "Changed", as_json)
            return
        to, done = ("publish", "Published") if publish else ("unpublish", "Unpublished")
        changed = client.call("POST", f"{at}/{to}", shape=response_shapes.PLACE)
        place_lists.print_changed(client, "site", changed, done, as_json)
        return
    owner = organization_of(client, organization)
    path = f"/v1/orgs/{part(owner)}/sites"
    shown = places.ids_of(client, "space", spaces, owner)
    body = {"title": title, "spaces": shown} if shown else {"title": title}
    made = client.call("POST", path, body, shape=response_shapes.PLACE)
    if publish:
        try:
            made = client.call("POST", f"{path}/{part(made['id'])}/publish", shape=response_shapes.PLACE)
        except Problem as problem:
            raise Problem(f"site {made['id']} was created but not published: {problem.sentence}") from problem
    place_lists.print_changed(client, "site", made, "Created", as_json)
