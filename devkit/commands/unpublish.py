"""`devkit unpublish`."""

from __future__ import annotations

import click

from devkit.hosts import credentials
from devkit.hosts.client import Client, part
from devkit.releasing.confirmation import ask_to_lose
from devkit.releasing.history import versions
from devkit.terminal import completion
from devkit.terminal.output import Problem, answer, json_option


@click.command("unpublish")
@click.argument("name", shell_complete=completion.integration)
@credentials.options
@json_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(name: str, host: str | None, token: str | None, as_json: bool, yes: bool) -> None:
    """Remove the integration NAME from the host, with its versions, installations, configurations and events.

    Example: devkit unpublish my-integration
    """
    client = Client(credentials.load(host, token))
    known = client.call("GET", "/v1/integrations", search=name, limit=1000)["items"]
    if not any(item["name"] == name for item in known):
        raise Problem(f"there is no integration {name} on {client.host}")
    kept = sum(1 for _ in versions(client, name))
    ask_to_lose(f"{name} on {client.host}: {kept} versions go, and every installation with its configuration.", yes)
    client.call("DELETE", f"/v1/integrations/{part(name)}")
    answer(as_json, {"name": name, "unpublished": True}, f"Unpublished {name}.")
