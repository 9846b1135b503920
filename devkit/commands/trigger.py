"""`devkit trigger`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from devkit import credentials, fixtures, project
from devkit.client import Client, part
from devkit.output import Problem, answer, json_option


@click.command("trigger")
@click.argument("event", type=click.Choice(sorted(fixtures.EVENTS)), metavar="EVENT")
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a field; dots go deeper, JSON is read."
)
@click.option("--body", type=click.Path(exists=True, dir_okay=False), help="A JSON file with the whole payload.")
@click.option("--count", default=1, show_default=True, type=click.IntRange(1, 10_000), help="How many times.")
@click.option("--integration", "name", help="The integration; else the one of this folder.")
@credentials.options
@json_option
def command(
    event: str,
    changes: tuple[str, ...],
    body: str | None,
    count: int,
    name: str | None,
    host: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Send EVENT to the integration, as if it had happened.

    Example: devkit trigger space_content_updated --set revisionId=abc
    """
    payload = _read(body) if body else fixtures.payload(event)
    payload["type"] = event
    for change in changes:
        _set(payload, change)
    integration = name or project.load(None).manifest.name
    client = Client(credentials.load(host, token))
    sent = client.call("POST", f"/v1/integrations/{part(integration)}/events", {"event": payload, "count": count})
    if not sent["events"]:
        raise Problem(f"nobody got the event: {sent.get('reason', 'nothing matched')}")
    answer(as_json, sent, f"Sent {event}: " + ", ".join(sent["events"][:5]) + (" ..." if count > 5 else ""))


def _read(path: str) -> dict[str, Any]:
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(f"{path} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise Problem(f"{path} must hold a JSON object")
    return value


def _set(payload: dict[str, Any], change: str) -> None:
    key, separator, text = change.partition("=")
    if not separator or not key:
        raise Problem(f"--set {change}: write key=value")
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    *parents, last = key.split(".")
    place = payload
    for parent in parents:
        inner = place.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise Problem(f"--set {change}: {parent} holds no object")
        place = inner
    place[last] = value
