"""`devkit events`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import click

from devkit.events import history
from devkit.events.traces import answer_text, as_text, ending_text, notes, what
from devkit.events.types import EventStatus, EventType
from devkit.hosts import choosing, response_shapes
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, RequestRefused, part
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, indented, json_option, one_line, say
from runtime.contract.units import bytes_text, duration_text

EXAMPLES = """\b
Examples: devkit events my-integration --status failed --since 2h
          devkit events --status not-handled
          devkit events 0aB3dE5fG7hJ9kL1mN3p
          devkit events my-integration 0aB3dE5fG7hJ9kL1mN3p
          devkit events --type site_view --limit 5 --json"""
USED: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("time", "wallMs", duration_text),
    ("computing", "cpuMs", duration_text),
    ("memory", "memoryBytes", bytes_text),
    ("requests", "subrequests", "{:g}".format),
    ("logs", "logBytes", bytes_text),
    ("answer", "responseBytes", bytes_text),
)
ID = re.compile(r"[A-Za-z0-9]{20}")
LONGEST_ENDING = len("will be retried (500)")


def filter_options(command: Any) -> Any:
    """Add the filters of the event list."""
    for option in (
        click.option("--since", metavar="WHEN", help="Only events of the last 30s, 10m, 2h or 1d, or since a time."),
        click.option(
            "--status",
            type=EventStatus(),
            help="Only events that are listed with this status; `failed` finds all that failed, however they ended.",
        ),
        click.option("--type", "kind", type=EventType(), metavar="TYPE", help="Only this type."),
    ):
        command = option(command)
    return command


@click.command("events", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=completion.integration)
@click.argument("event", metavar="[ID]", required=False)
@filter_options
@click.option("--installation", metavar="ID", help="Only events of this installation.")
@click.option("--limit", default=20, show_default=True, type=BoundedInteger(1, 10_000), help="Maximum number to list.")
@env_option
@choosing.options
@json_option
def command(
    name: str | None,
    event: str | None,
    since: str | None,
    status: str | None,
    kind: str | None,
    installation: str | None,
    limit: int,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """List the events of the integration NAME (default: that of this folder), newest first.

    Tasks that are due later are listed as queued. With an ID (NAME may be left out in the folder of its integration):
    that event with its payload, its logs, the requests the script made, what it answered, and how close each limit was.
    """
    begin = history.moment(since) if since else None
    told, name = name, name or names.name_here(env)
    client = chosen.client(local_first=True)
    if event is None and told is not None and ID.fullmatch(told):
        name, event = _told_apart(client, told, env)
    if event is not None:
        detail = client.call("GET", history.path(name, event), shape=response_shapes.DETAIL)
        say(json.dumps(detail) if as_json else _whole(detail))
        return
    queued = "true" if status is None else None
    filters = {"type": kind, **history.by_status(status), "installation": installation, "since": begin}
    events = history.latest(client, name, limit, queued=queued, **filters)
    if as_json:
        say(json.dumps({"events": events}))
    elif not events:
        say("No such events.")
    else:
        say("\n".join(_line(event) for event in events))


def _told_apart(client: Client, text: str, env: str | None) -> tuple[str, str | None]:
    """Tell the id of an event of this folder's integration from the name of another one; raises Problem."""
    try:
        here = names.name_here(env)
        client.call("GET", history.path(here, text), shape=response_shapes.DETAIL)
        return here, text
    except RequestRefused as refused:
        if refused.status not in (403, 404):
            raise
        where = f"{here} has no event `{text}` on {client.host}"
    except Problem:
        where = f"without an integration in this folder, an event needs its name: `devkit events NAME {text}`"
    try:
        client.call("GET", f"/v1/integrations/{part(text)}", shape=response_shapes.NAMED)
    except RequestRefused as refused:
        if refused.status != 404:
            raise
        raise Problem(f"{where}; and there is no integration with that name") from None
    return text, None


def _line(event: dict[str, Any]) -> str:
    delivery = event["delivery"]
    took = duration_text(delivery["durationMs"]) if delivery.get("durationMs") is not None else ""
    words = [
        event["id"],
        event["createdAt"],
        ending_text(event, LONGEST_ENDING),
        took.rjust(7),
        what(event),
        notes(event),
    ]
    return one_line("  ".join(words)).rstrip()


def _whole(detail: dict[str, Any]) -> str:
    lines = [as_text(detail), "", "payload"]
    lines += indented(json.dumps(detail["event"]["payload"], indent=2, ensure_ascii=False))
    if detail.get("answer") is not None:
        lines += ["", "answer", *indented(answer_text(detail["answer"]))]
    trace = detail.get("trace") or {}
    usage, limits = trace.get("usage") or {}, trace.get("limits") or {}
    if usage:
        lines += ["", "limits"]
        lines += [
            f"  {word.ljust(9)} {write(usage[key])} of {write(limits[key])}"
            for word, key, write in USED
            if usage.get(key) is not None and limits.get(key) is not None
        ]
    return "\n".join(lines)
