"""`devkit whoami`."""

from __future__ import annotations

import click

from devkit.hosts import credentials
from devkit.hosts.client import Client
from devkit.terminal.output import answer, json_option


@click.command("whoami")
@credentials.options
@json_option
def command(host: str | None, token: str | None, as_json: bool) -> None:
    """Show whose token is in use, and on which host.

    Example: devkit whoami --json
    """
    known = credentials.load(host, token)
    user = Client(known).call("GET", "/v1/user")
    text = f"{user['displayName']} <{user.get('email', '')}> ({user['id']}) at {known.host}"
    answer(as_json, {"host": known.host, "user": user}, text)
