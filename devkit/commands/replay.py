"""`devkit replay`."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import click

from devkit.commands.events import filter_options
from devkit.events import history, outcomes, payloads, sending
from devkit.hosts import choosing
from devkit.hosts.budgets import Budget
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, HostUnreachable
from devkit.hosts.credentials import LOCAL
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.output import Problem, json_option, print_error, print_result, warn
from runtime.contract.event_descriptions import word

EXAMPLES = """\b
Examples: devkit replay --last
          devkit replay 0aB3dE5fG7hJ9kL1mN3p --edit --to local
          devkit replay --last --from staging --to local
          devkit replay --since 2h --status failed"""


@click.command("replay", epilog=EXAMPLES)
@click.argument("event", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The newest background event; with --type, the newest of that type.")
@filter_options
@click.option("--edit", is_flag=True, help="Open the payload in $EDITOR first.")
@click.option("--body", type=click.Path(exists=True, dir_okay=False), help="File with the body of a `fetch` event.")
@click.option(
    "--integration",
    "name",
    shell_complete=completion.integration,
    help="The integration; default: the one in this folder.",
)
@env_option
@choosing.to_option(
    "Take the events from this host; default: the one they go to, with `--to local` the one you are logged in to.",
    "--from",
)
@choosing.options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    event: str | None,
    last: bool,
    since: str | None,
    status: str | None,
    kind: str | None,
    edit: bool,
    body: str | None,
    name: str | None,
    env: str | None,
    from_: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Send a past event again: the same payload with a new id.

    --last and --since choose background events, oldest first; with --type they also choose events that somebody waited
    for. With `--to local`, events are read from the host you are logged in to and sent to the `devkit dev` of this
    folder; --from names another host to read them from.
    """
    if sum((event is not None, last, since is not None)) != 1:
        raise click.UsageError("Give an event's ID, or --last, or --since 2h.")
    if event is not None and (kind or status):
        raise click.UsageError("--type and --status are for --last and --since; they cannot be combined with an ID.")
    begin = history.moment(since) if since else None
    name = name or names.name_here(env)
    source, goal = _hosts(from_, chosen)
    if event is not None:
        events = [history.whole(source, name, event)]
    else:
        budget = Budget()
        found = _suitable(source, name, kind, status, begin)
        events = [history.whole(source, name, summary["id"], budget) for summary in found]
    if edit and len(events) > 1:
        raise Problem(
            f"--edit takes one event, but {len(events)} match", hint=f"give the id of one (`devkit events {name}`)"
        )
    done = []
    elsewhere = goal.host != source.host
    for item in events:
        sent = {"from": item["id"], "type": item["payload"]["type"]}
        try:
            done.append(sent | _replay(goal, name, item, edit, body, elsewhere=elsewhere))
        except HostUnreachable as away:
            if not done:
                raise
            # What comes after would fail for the same reason.
            sentence = f"{away.sentence} (this and {len(events) - len(done) - 1} more were not sent)"
            done.append(sent | {"error": sentence})
            break
        except Problem as problem:
            if len(events) == 1:
                raise
            done.append(sent | {"error": problem.sentence})
    good = [result for result in done if "events" in result]
    for item in done:
        if "error" in item:
            print_error(f"{item['from']} ({item['type']}): {item['error']}")
    behind, wrong = outcomes.judged(goal, name, good)
    lines = [
        f"Sent {result['type']} {result['from']} again: {sending.outcome(result)}{_how(result)}" for result in good
    ]
    print_result(as_json, {"host": goal.host, "replayed": done}, *lines, *behind)
    if wrong is not None:
        raise wrong
    ctx.exit(0 if len(good) == len(done) else 1)


def _hosts(from_: str | None, chosen: Choice) -> tuple[Client, Client]:
    """Connect to the source and the destination of events; with `--to`, --host and --token are for the source."""
    if from_ is not None:
        source = Choice(to=from_, quiet=chosen.quiet).client()
        return source, chosen.client(local_first=True)
    if chosen.to is None:
        only = chosen.client(local_first=True)
        return only, only
    source = replace(chosen, to=None).client(local_first=chosen.to != LOCAL)
    return source, Choice(to=chosen.to, quiet=chosen.quiet).client()


def _suitable(
    source: Client, name: str, kind: str | None, status: str | None, begin: str | None
) -> list[dict[str, Any]]:
    """Find the newest event, or all since a time, oldest first; raises Problem if there is none."""
    events = history.walk(source, name, history.PAGE, type=kind, since=begin, **history.by_status(status))
    suitable = (event for event in events if kind or history.by_itself(event))
    found = list(suitable if begin else islice(suitable, 1))
    if not found:
        hint = f"`devkit events {name}` lists its events"
        if kind is None:
            hint += "; those that somebody waited for, such as requests, are chosen with --type"
        raise Problem(f"{name} has no such event on {source.host}", hint=hint)
    return found[::-1]


def _replay(
    goal: Client, name: str, event: dict[str, Any], edit: bool, body: str | None, *, elsewhere: bool
) -> dict[str, Any]:
    """Send one event; returns the result. Raises Problem if it cannot be sent, or is refused."""
    payload = sending.as_new(event["payload"], elsewhere=elsewhere)
    if event.get("withheld"):
        raise Problem("it belongs to another organization: you may not see its payload")
    if edit:
        payload = payloads.edit(payload)
    return sending.send(goal, name, payload, body=_content(payload, body, event.get("body")))


def _how(result: dict[str, Any]) -> str:
    """Say how the script handled what was sent, as far as it is known."""
    endings = dict.fromkeys(word(delivery["ending"]) for delivery in result.get("deliveries", []))
    return f", {', '.join(endings)}" if endings else ""


def _content(payload: dict[str, Any], body: str | None, recorded: str | None) -> str | None:
    """Return the body of a request: that of a file, else the one the host kept."""
    if payload["type"] != "fetch":
        if body is not None:
            raise Problem("--body is for `fetch` events", hint="--edit changes any other")
        return None
    if body is None:
        if recorded is None and payload["request"]["method"] in ("post", "put"):
            warn("the host kept no body of this request, so it is sent without one; --body FILE adds one")
        return recorded
    try:
        return Path(body).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"--body {body} cannot be read as text: {error}") from error
