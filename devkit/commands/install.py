"""`devkit install`."""

from __future__ import annotations

from typing import Any

import click

from devkit.hosts import choosing, installations, places, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.organizations import organization_of
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.output import Problem, json_option, print_result

EXAMPLES = """\b
Examples: devkit install my-integration --space 5Xk2
          devkit install --all-spaces --all-sites"""


@click.command("install", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completion.integration)
@click.option("--organization", help="Id or hostname of the organization, if the token is for several.")
@click.option(
    "--space",
    "spaces",
    multiple=True,
    metavar="SPACE",
    help="Install on this space, by id, title or address; may be repeated.",
)
@click.option(
    "--site",
    "sites",
    multiple=True,
    metavar="SITE",
    help="Install on this site, by id, title or address; may be repeated.",
)
@click.option("--all-spaces", is_flag=True, help="Install on every space, including future ones.")
@click.option("--all-sites", is_flag=True, help="Install on every site, including future ones.")
@env_option
@choosing.options
@json_option
def command(
    name: str | None,
    organization: str | None,
    spaces: tuple[str, ...],
    sites: tuple[str, ...],
    all_spaces: bool,
    all_sites: bool,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Install the integration NAME (default: that of this folder) on an organization, and on its spaces and sites.

    Existing installations stay as they are.
    """
    name = name or names.name_here(env)
    client = chosen.client()
    owner = organization_of(client, organization)
    selected = [kind for kind, every in (("space", all_spaces), ("site", all_sites)) if every]
    known = installations.kinds_for(client, name) if selected else []
    if wrong := [kind for kind in selected if kind not in known]:
        made_for = " and ".join(installations.PARTS[kind] for kind in known) or "organizations as a whole"
        raise Problem(f"{name} is made for {made_for}: leave out --all-{installations.PARTS[wrong[0]]}")
    spaces, sites = places.ids_of(client, "space", spaces, owner), places.ids_of(client, "site", sites, owner)
    installation = installations.find(client, name, owner)
    if installation is None:
        installation = client.call(
            "POST", installations.path_of(name), {"organization": owner}, shape=response_shapes.INSTALLATION
        )
    at = installations.path_of(name, installation["id"])
    there = installations.parts_of(client, name, installation)
    for space in _missing(spaces, there["space"], "space"):
        client.call("POST", f"{at}/spaces", {"space": space})
    for site in _missing(sites, there["site"], "site"):
        client.call("POST", f"{at}/sites", {"siteId": site})
    wanted = {f"{kind}_selection": "all" for kind in selected}
    installation = client.call("PATCH" if wanted else "GET", at, wanted or None, shape=response_shapes.INSTALLATION)
    parts = installations.parts_of(client, name, installation)
    following = installations.next_step(client, name, owner, installation, parts)
    lines = [*installations.lines(name, installation, parts), *filter(None, [following])]
    print_result(as_json, {"installation": installation, "spaces": parts["space"], "sites": parts["site"]}, *lines)


def _missing(wanted: tuple[str, ...], there: list[dict[str, Any]], kind: str) -> list[str]:
    known = {installations.id_of(item, kind) for item in there}
    return [one for one in dict.fromkeys(wanted) if one not in known]
