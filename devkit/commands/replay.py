"""`devkit replay`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click

from devkit import completing, credentials, history, payloads, project, sending
from devkit.client import Away, Client
from devkit.commands.events import filters
from devkit.environments import env_option
from devkit.output import Problem, answer, complain, json_option, warn

EXAMPLES = """\b
Examples: devkit replay --last
          devkit replay 0aB3dE5fG7hJ9kL1mN3p --edit --to local
          devkit replay --since 2h --status failed"""


@click.command("replay", epilog=EXAMPLES)
@click.argument("event", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The newest event.")
@filters
@click.option("--edit", is_flag=True, help="Open the payload in $EDITOR first.")
@click.option("--body", type=click.Path(exists=True, dir_okay=False), help="What a `fetch` event carries, as a file.")
@click.option(
    "--integration", "name", shell_complete=completing.integration, help="The integration; else the one of this folder."
)
@sending.to_option
@env_option
@credentials.options
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
    to: str | None,
    env: str | None,
    host: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Send a past event again: the same payload with an id of its own.

    --last and --since take events that came by themselves, oldest first; --type takes those that somebody waited for,
    too. With `--to local` they are read from the host one is logged in to, and sent to the `devkit dev` of this folder.
    """
    if sum((event is not None, last, since is not None)) != 1:
        raise click.UsageError("Give an event's ID, or --last, or --since 2h.")
    if event is not None and (kind or status):
        raise click.UsageError("--type and --status choose with --last and --since; an ID needs neither.")
    begin = history.moment(since) if since else None
    name = name or project.name_here(env)
    source = Client(credentials.load(host, token))
    goal = sending.target(host, token, to)
    if event is not None:
        found = [history.whole(source, name, event)]
    else:
        found = [history.whole(source, name, one["id"]) for one in _chosen(source, name, kind, status, begin)]
    if edit and len(found) > 1:
        raise Problem(f"--edit takes one event, these are {len(found)}; name one by its id (`devkit events {name}`)")
    done = []
    for one in found:
        try:
            done.append(_replay(goal, name, one, edit, body, elsewhere=goal.host != source.host))
        except Away as away:
            if not done:
                raise
            # What comes after would fail for the same reason.
            sentence = f"{away.sentence} (this and {len(found) - len(done) - 1} more were not sent)"
            done.append({"from": one["id"], "type": one["payload"]["type"], "error": sentence})
            break
    good = [one for one in done if "events" in one]
    lines = [f"Sent {one['type']} {one['from']} again: {sending.outcome(one)}" for one in good]
    if not good and len(done) == 1:
        raise Problem(done[0]["error"])
    for one in done:
        if "error" in one:
            complain(f"{one['from']} ({one['type']}): {one['error']}")
    answer(as_json, {"host": goal.host, "replayed": done}, "\n".join(lines))
    ctx.exit(0 if len(good) == len(done) else 1)


def _chosen(source: Client, name: str, kind: str | None, status: str | None, begin: str | None) -> list[dict[str, Any]]:
    """Find the newest event, or all since a time, oldest first; raises Problem where there is none."""
    wanted = history.walk(source, name, type=kind, status=status, since=begin)
    suitable = (one for one in wanted if kind or history.by_itself(one))
    found = list(suitable if begin else islice(suitable, 1))
    if not found:
        raise Problem(f"{name} has no such event on {source.host}; `devkit events {name}` lists what there is")
    return found[::-1]


def _replay(
    goal: Client, name: str, event: dict[str, Any], edit: bool, body: str | None, *, elsewhere: bool
) -> dict[str, Any]:
    """Send one event; gives what became of it, or the `error`."""
    payload = sending.again(event["payload"], elsewhere=elsewhere)
    told = {"from": event["id"], "type": payload["type"]}
    if event.get("withheld"):
        return told | {"error": "it happened to another organization: what it carried is withheld from you"}
    if edit:
        payload = payloads.edit(payload)
    content = _content(payload, body, event.get("body"))
    try:
        return told | sending.send(goal, name, payload, body=content)
    except Away:
        raise
    except Problem as problem:
        return told | {"error": problem.sentence}


def _content(payload: dict[str, Any], body: str | None, kept: str | None) -> str | None:
    """Give the body of a request: that of a file, else the one the host kept."""
    if payload["type"] != "fetch":
        if body is not None:
            raise Problem("--body is for `fetch` events; --edit changes any other")
        return None
    if body is None:
        if kept is None and payload["request"]["method"] in ("post", "put"):
            warn("the host kept no body of this request: it goes without; --body FILE gives it one")
        return kept
    try:
        return Path(body).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"--body {body} cannot be read as text: {error}") from error
