"""`devkit unpublish`."""

from __future__ import annotations

import click

from devkit import completing, credentials
from devkit.client import Client, part
from devkit.output import Problem, answer, json_option


@click.command("unpublish")
@click.argument("name", shell_complete=completing.integration)
@credentials.options
@json_option
def command(name: str, host: str | None, token: str | None, as_json: bool) -> None:
    """Take the integration NAME away from the host, with its installations.

    Example: devkit unpublish my-integration
    """
    client = Client(credentials.load(host, token))
    known = client.call("GET", "/v1/integrations", search=name, limit=1000)["items"]
    if not any(item["name"] == name for item in known):
        raise Problem(f"there is no integration {name} on {client.host}")
    client.call("DELETE", f"/v1/integrations/{part(name)}")
    answer(as_json, {"name": name, "unpublished": True}, f"Unpublished {name}.")
