"""`devkit installations`."""

from __future__ import annotations

import json

import click

from devkit.hosts import choosing, installations, response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.choosing import Choice
from devkit.hosts.client import part
from devkit.hosts.organizations import organization_of
from devkit.projects import completion
from devkit.terminal.output import json_option, say

EXAMPLES = """\b
Examples: devkit installations
          devkit installations my-integration --json"""


@click.command("installations", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completion.integration)
@click.option("--organization", help="Id or hostname of the organization, if the token is for several.")
@choosing.options
@json_option
def command(name: str | None, organization: str | None, chosen: Choice, as_json: bool) -> None:
    """List what is installed on an organization, or where the integration NAME is installed, with pending steps."""
    client = chosen.client()
    owner = organization_of(client, organization)
    path, budget = f"/v1/orgs/{part(owner)}/installations", Budget()
    found = client.every(path, shape=response_shapes.INSTALLED, budget=budget, search=name)
    rows = [
        (item["integration"]["name"], item["installation"])
        for item in found
        if name is None or item["integration"]["name"] == name
    ]
    if name is not None and not rows:
        client.call("GET", f"/v1/integrations/{part(name)}", shape=response_shapes.INTEGRATION)  # says if there is none
    told = [(known, one, installations.parts_of(client, known, one, budget)) for known, one in rows]
    if as_json:
        values = [
            {"integration": known, "installation": one, "spaces": parts["space"], "sites": parts["site"]}
            for known, one, parts in told
        ]
        say(json.dumps({"installations": values}))
    elif not told:
        say(f"{name or 'Nothing'} is {'not ' if name else ''}installed; `devkit install {name or 'NAME'}` installs.")
    else:
        say("\n".join(line for entry in told for line in installations.lines(*entry)))
