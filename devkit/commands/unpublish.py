"""`devkit unpublish`."""

from __future__ import annotations

import click

from devkit.hosts import credentials
from devkit.hosts.client import Client, part
from devkit.terminal import completion
from devkit.terminal.output import Problem, answer, json_option


@click.command("unpublish")
@click.argument("name", shell_complete=completion.integration)
@credentials.options
@json_option
def command(name: str, host: str | None, token: str | None, as_json: bool) -> None:
    """Remove the integration NAME from the host, with its installations.

    Example: devkit unpublish my-integration
    """
    client = Client(credentials.load(host, token))
    known = client.call("GET", "/v1/integrations", search=name, limit=1000)["items"]
    if not any(item["name"] == name for item in known):
        raise Problem(f"there is no integration {name} on {client.host}")
    client.call("DELETE", f"/v1/integrations/{part(name)}")
    answer(as_json, {"name": name, "unpublished": True}, f"Unpublished {name}.")
