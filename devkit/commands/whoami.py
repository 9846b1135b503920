"""`devkit whoami`."""

from __future__ import annotations

import click

from devkit.hosts import choosing, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client
from devkit.terminal.output import json_option, one_line, print_result


@click.command("whoami")
@choosing.options
@json_option
def command(chosen: Choice, as_json: bool) -> None:
    """Show whose token is in use, and on which host.

    Example: devkit whoami --json
    """
    known = chosen.credentials()
    user = Client(known).call("GET", "/v1/user", shape=response_shapes.USER)
    text = f"{user['displayName']} <{user.get('email') or ''}> ({user['id']}) at {known.host}"
    print_result(as_json, {"host": known.host, "user": user}, one_line(text))
