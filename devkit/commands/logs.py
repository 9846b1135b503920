"""`devkit logs`."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from devkit import credentials, project
from devkit.client import Client, part
from devkit.output import json_option, say

EVERY = 1.0
COLOURS = {"debug": "bright_black", "info": "cyan", "warn": "yellow", "error": "red"}


@click.command("logs")
@click.argument("name", required=False)
@click.option("--follow", "-f", is_flag=True, help="Go on as calls happen.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="Past events to show first.")
@credentials.options
@json_option
def command(name: str | None, follow: bool, limit: int, host: str | None, token: str | None, as_json: bool) -> None:
    """Show the latest events of the integration NAME (the one of this folder) with what their calls logged.

    Example: devkit logs my-integration --follow
    """
    name = name or project.load(None).manifest.name
    client = Client(credentials.load(host, token))
    seen: set[str] = set()
    while True:
        items = client.call("GET", f"/v1/integrations/{part(name)}/events", limit=limit)["items"]
        for item in reversed(items):
            key = f"{item['id']} {item['delivery']['attempts']}"
            if key not in seen:
                seen.add(key)
                detail = client.call("GET", f"/v1/integrations/{part(name)}/events/{part(item['id'])}")
                say(json.dumps(detail) if as_json else as_text(detail))
        if not follow:
            return
        time.sleep(EVERY)


def as_text(detail: dict[str, Any]) -> str:
    """Write an event with its logs for people."""
    event, trace = detail["event"], detail.get("trace") or {}
    delivery, good = event["delivery"], event["status"] == "success"
    words = [event["createdAt"], event["payload"]["type"], click.style(event["status"], fg="green" if good else "red")]
    if "durationMs" in delivery:
        words.append(f"{delivery['durationMs']:.1f} ms")
    if delivery["state"] == "failed":
        words.append(f"(attempt {delivery['attempts']}, comes again at {delivery['nextAttemptAt']})")
    lines = [" ".join(words)]
    for line in trace.get("logs", ()):
        lines.append(f"  {click.style(line['level'].ljust(5), fg=COLOURS[line['level']])} {line['message']}")
    for one in trace.get("subrequests", ()):
        lines.append(f"  -> {one['method']} {one['url']} {one['status'] or one['refused']}")
    fault = trace.get("fault")
    if fault:
        lines.append(f"  {fault.get('file', '')}:{fault.get('line', '')} {fault['message']}")
    return "\n".join(lines)
