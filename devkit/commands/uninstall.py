"""`devkit uninstall`."""

from __future__ import annotations

import click

from devkit.hosts import credentials, installations
from devkit.hosts.client import Client, part
from devkit.hosts.organizations import organization_of
from devkit.releasing.confirmation import ask_to_lose
from devkit.terminal import completion
from devkit.terminal.output import answer, json_option

EXAMPLES = """\b
Examples: devkit uninstall my-integration --space 5Xk2
          devkit uninstall my-integration --yes"""


@click.command("uninstall", epilog=EXAMPLES)
@click.argument("name", shell_complete=completion.integration)
@click.option("--organization", help="Id or hostname of the organization, where the token has several.")
@click.option("--space", "spaces", multiple=True, metavar="ID", help="Only from this space; may be repeated.")
@click.option("--site", "sites", multiple=True, metavar="ID", help="Only from this site; may be repeated.")
@click.option("--yes", is_flag=True, help="Do not ask before it goes from the whole organization.")
@credentials.options
@json_option
def command(
    name: str,
    organization: str | None,
    spaces: tuple[str, ...],
    sites: tuple[str, ...],
    yes: bool,
    host: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Uninstall the integration NAME from spaces and sites, or from an organization with all of them."""
    client = Client(credentials.load(host, token))
    installation = installations.need(client, name, organization_of(client, organization))
    at = installations.path_of(name, installation["id"])
    if not spaces and not sites:
        parts = installations.parts_of(client, name, installation)
        places = f"{len(parts['space'])} spaces and {len(parts['site'])} sites"
        ask_to_lose(f"Its configurations go with it, on the organization, {places}.", yes)
        client.call("DELETE", at)
    for kind, ids in (("spaces", spaces), ("sites", sites)):
        for one in ids:
            client.call("DELETE", f"{at}/{kind}/{part(one)}")
    where = ", ".join([*spaces, *sites]) or "the organization"
    value = {"name": name, "installation": installation["id"], "spaces": [*spaces], "sites": [*sites]}
    answer(as_json, value, f"Uninstalled {name} from {where}.")
