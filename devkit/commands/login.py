"""`devkit login`."""

from __future__ import annotations

import click

from devkit.hosts import credentials
from devkit.hosts.client import Client
from devkit.terminal.output import Problem, answer, json_option


@click.command("login")
@click.option("--host", required=True, help="Address of the host, for example http://127.0.0.1:8080.")
@click.option("--token", required=True, help="A token, for example from `devkit init`.")
@json_option
def command(host: str, token: str, as_json: bool) -> None:
    """Check host and token, and save them.

    Example: devkit login --host http://127.0.0.1:8080 --token dk_...
    """
    if not host.startswith(("http://", "https://")):
        raise Problem("--host is an address that begins with http:// or https://")
    new = credentials.Credentials(host.rstrip("/"), token)
    user = Client(new).call("GET", "/v1/user")
    credentials.save(new)
    answer(as_json, {"host": new.host, "user": user}, f"Logged in to {new.host} as {user['displayName']}.")
