"""`devkit uninstall`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, installations, places
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.projects import completion
from devkit.releasing.confirmation import ask_to_lose
from devkit.terminal.output import Problem, json_option, print_result

EXAMPLES = """\b
Examples: devkit uninstall my-integration --space 5Xk2
          devkit uninstall my-integration --yes"""


@click.command("uninstall", epilog=EXAMPLES)
@click.argument("name", shell_complete=completion.integration)
@click.option("--organization", help="Id or hostname of the organization, if the token is for several.")
@click.option(
    "--space",
    "spaces",
    multiple=True,
    metavar="SPACE",
    help="Only from this space, by id, title or address; may be repeated.",
)
@click.option(
    "--site",
    "sites",
    multiple=True,
    metavar="SITE",
    help="Only from this site, by id, title or address; may be repeated.",
)
@click.option("--all-spaces", is_flag=True, help="From every space, including future ones.")
@click.option("--all-sites", is_flag=True, help="From every site, including future ones.")
@click.option("--yes", is_flag=True, help="Do not ask before uninstalling from the whole organization.")
@choosing.options
@json_option
def command(
    name: str,
    organization: str | None,
    spaces: tuple[str, ...],
    sites: tuple[str, ...],
    all_spaces: bool,
    all_sites: bool,
    yes: bool,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Uninstall the integration NAME from spaces and sites, or from a whole organization."""
    client = chosen.client()
    owner = organization_of(client, organization)
    spaces, sites = places.ids_of(client, "space", spaces, owner), places.ids_of(client, "site", sites, owner)
    installation = installations.need(client, name, owner)
    at = installations.path_of(name, installation["id"])
    parts = installations.parts_of(client, name, installation)
    every = {"space": all_spaces, "site": all_sites}
    chosen_ids = {
        kind: [installations.id_of(item, kind) for item in parts[kind]] if every[kind] else [*dict.fromkeys(some)]
        for kind, some in (("space", spaces), ("site", sites))
    }
    for kind, some in chosen_ids.items():
        there = {installations.id_of(item, kind) for item in parts[kind]}
        if gone := [one for one in some if one not in there]:
            raise Problem(
                f"{name} is not installed on the {kind} {gone[0][:60]}",
                hint=f"`devkit installations {name}` lists where",
            )
    if not spaces and not sites and not any(every.values()):
        ask_to_lose(
            f"This deletes its configurations: of the organization, of spaces ({len(parts['space'])}) and of sites "
            f"({len(parts['site'])}). The spaces and sites themselves stay.",
            yes,
        )
        client.call("DELETE", at)
    if wanted := {f"{kind}_selection": "selected" for kind, all_of_them in every.items() if all_of_them}:
        client.call("PATCH", at, wanted)  # first: nothing made meanwhile gets it
    for kind, ids in chosen_ids.items():
        for one in ids:
            client.call("DELETE", f"{at}/{installations.PARTS[kind]}/{part(one)}")
    named = [f"all {installations.PARTS[kind]}" if every[kind] else ", ".join(ids) for kind, ids in chosen_ids.items()]
    where = ", ".join(filter(None, named)) or "the organization"
    value = {
        "name": name,
        "installation": installation["id"],
        "spaces": chosen_ids["space"],
        "sites": chosen_ids["site"],
    }
    print_result(as_json, value, f"Uninstalled {name} from {where}.")
