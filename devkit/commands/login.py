"""`devkit login`."""

from __future__ import annotations

import click

from devkit import credentials
from devkit.client import Client
from devkit.output import Problem, answer, json_option


@click.command("login")
@click.option("--host", required=True, help="Address of the host, for example http://127.0.0.1:8080.")
@click.option("--token", required=True, help="A token, for example from `devkit init`.")
@json_option
def command(host: str, token: str, as_json: bool) -> None:
    """Try host and token, and remember them.

    Example: devkit login --host http://127.0.0.1:8080 --token dk_...
    """
    if not host.startswith(("http://", "https://")):
        raise Problem("--host is an address that begins with http:// or https://")
    given = credentials.Credentials(host.rstrip("/"), token)
    user = Client(given).call("GET", "/v1/user")
    credentials.save(given)
    answer(as_json, {"host": given.host, "user": user}, f"Logged in to {given.host} as {user['displayName']}.")
