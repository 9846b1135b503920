"""`devkit logs`."""

from __future__ import annotations

import json
import threading

import click

from devkit.commands.events import filter_options
from devkit.events import following, history
from devkit.events.traces import as_text
from devkit.hosts import choosing
from devkit.hosts.choosing import Choice
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import json_option, say, warn
from runtime.engines.frames import LEVELS

EXAMPLES = """\b
Examples: devkit logs my-integration --follow
          devkit logs --follow --level warn --text "timed out"
          devkit logs my-integration --trace 0aB3dE5fG7hJ9kL1mN3p --json"""


@click.command("logs", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completion.integration)
@click.option("--follow", "-f", is_flag=True, help="Keep showing new events until Ctrl-C.")
@click.option("--limit", default=20, show_default=True, type=BoundedInteger(0, 1000), help="Past events to show first.")
@click.option(
    "--level", type=click.Choice(LEVELS), help="Only lines of at least this level, and events with such lines."
)
@click.option("--text", help="Only events with this text in their type, log lines or error.")
@click.option("--trace", metavar="ID", help="Only the event with this id.")
@filter_options
@click.option("--installation", metavar="ID", help="Only events of this installation.")
@env_option
@choosing.options
@json_option
def command(
    name: str | None,
    follow: bool,
    limit: int,
    level: str | None,
    text: str | None,
    trace: str | None,
    kind: str | None,
    status: str | None,
    installation: str | None,
    since: str | None,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Show the latest events of the integration NAME (default: that of this folder) with what their calls logged."""
    name = name or names.name_here(env)
    begin = history.moment(since) if since else None
    client = chosen.client(local_first=True)
    filters = {
        "type": kind, **history.by_status(status), "installation": installation, "since": begin,
        "level": level, "text": text, "event": trace,
    }  # fmt: skip
    if follow:
        events = following.follow(client, name, threading.Event(), warn, limit, **filters)
    else:
        events = following.past(client, name, limit, **filters)
    try:
        for detail in events:
            say(json.dumps(detail) if as_json else as_text(detail, level))
    except KeyboardInterrupt:
        return
