"""`devkit trigger`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from devkit.events import history, outcomes, payloads, sending
from devkit.events.endpoint_requests import Place, RequestDescription, endpoint, header, request
from devkit.events.signing import SIGNERS
from devkit.events.traces import ending_text, what
from devkit.events.types import KINDS, EventType
from devkit.hosts import choosing, places
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, HostUnreachable
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Mistake, Problem, indented, json_option, print_result
from runtime.contract import event_examples
from runtime.sdk.routes import METHODS

EXAMPLES = (
    "\b\nEvents:\n"
    + "\n".join("  " + ", ".join(KINDS[at : at + 4]) for at in range(0, len(KINDS), 4))
    + """

\b
Examples: devkit trigger space_content_updated --set revisionId=abc --count 3
          devkit trigger page_feedback --edit
          devkit trigger fetch --path /hook --body push.json --sign github --secret "$SECRET\""""
)


@click.command("trigger", epilog=EXAMPLES)
@click.argument("event", type=EventType(), metavar="EVENT")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a field; dots reach nested fields, values are JSON or text.",
)
@click.option(
    "--body",
    type=click.Path(exists=True, dir_okay=False),
    help="A file with the whole payload, JSON or YAML; for `fetch` the request's body.",
)
@click.option("--edit", is_flag=True, help="Open the payload in $EDITOR first.")
@click.option("--count", default=1, show_default=True, type=BoundedInteger(1, 10_000), help="How often to send it.")
@click.option("--no-wait", is_flag=True, help="Do not wait until the script has handled it.")
@click.option("--installation", metavar="ID", help="Only for this installation.")
@click.option("--space", metavar="SPACE", help="For this space, by its id, title or address.")
@click.option("--site", metavar="SITE", help="For this site, by its id, title or address.")
@click.option("--method", type=click.Choice(METHODS, case_sensitive=False), help="For `fetch`; default: POST.")
@click.option("--path", metavar="PATH", help="For `fetch`: the path after the endpoint, with its query.")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="For `fetch`: an additional header.")
@click.option("--sign", type=click.Choice(list(SIGNERS)), help="For `fetch`: sign it like this sender.")
@click.option("--secret", envvar="DEVKIT_SIGNING_SECRET", help="Secret to sign with; default: DEVKIT_SIGNING_SECRET.")
@click.option(
    "--integration",
    "name",
    shell_complete=completion.integration,
    help="The integration; default: the one in this folder.",
)
@env_option
@choosing.options
@json_option
def command(
    event: str,
    changes: tuple[str, ...],
    body: str | None,
    edit: bool,
    count: int,
    no_wait: bool,
    installation: str | None,
    space: str | None,
    site: str | None,
    method: str | None,
    path: str | None,
    headers: tuple[str, ...],
    sign: str | None,
    secret: str | None,
    name: str | None,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Send EVENT to the integration, as if it had happened.

    Events that are answered are sent at once, and the answer is shown; others are followed until the script has handled
    them. The exit code is 1 if the script refuses or fails. `fetch` is a real HTTP request to the public
    endpoint of the integration, or of an installation, a space or a site.
    """
    _refuse_what_cannot_be(event, changes, edit, Place(installation, space, site), headers, sign, secret)
    if event != "fetch" and (method or path or headers or sign):
        raise Mistake(f"--method, --path, --header and --sign are for `fetch`, not for `{event}`")
    name = name or names.name_here(env)
    client = chosen.client(local_first=True)
    space = None if space is None else places.id_of(client, "space", space)
    site = None if site is None else places.id_of(client, "site", site)
    place = Place(installation, space, site)
    if event == "fetch":
        description = RequestDescription(
            (method or "POST").upper(), _absolute(path), headers, _content(body, changes), sign, secret
        )
        _request(client, name, endpoint(client, name, place), description, count, as_json)
        return
    payload = _payload(client, name, event, body, changes)
    where = {"installationId": installation, "spaceId": space, "siteId": site}
    payload |= {key: value for key, value in where.items() if value is not None}
    if edit:
        payload = payloads.edit(payload)
    rounds = count if count > 1 and payloads.waits(event) else 1
    sent: list[dict[str, Any]] = []
    for _ in range(rounds):
        try:
            sent.append(sending.send(client, name, payload, 1 if rounds > 1 else count))
        except HostUnreachable as away:
            raise Problem(f"{away.sentence} ({len(sent)} of {rounds} sent)" if sent else away.sentence) from None
    result = sent[-1] | {"events": [event_id for part_ in sent for event_id in part_["events"]]}
    script = result.get("answer")
    details = [] if script or no_wait else outcomes.ended(client, name, result["events"])
    if details:
        result["deliveries"] = [outcomes.delivery(detail) for detail in details]
    how = f", {ending_text(details[-1]['event'])}" if details else ""
    body_lines = indented(script.get("body") or "") if script else []
    behind = outcomes.waiting(name, details)
    print_result(as_json, result, f"Sent {event}: {sending.outcome(result)}{how}", *body_lines, *behind)
    if wrong := outcomes.failures(details):
        raise outcomes.failed(name, wrong, len(details))
    if script and script["status"] >= 400:
        reason = outcomes.reason(client, name, result["events"][-1])
        raise Problem(
            f"the script answered {script['status']}{f': {reason}' if reason else ''}",
            hint=f"`devkit events {name} {result['events'][-1]}` shows its logs",
        )


def _absolute(path: str | None) -> str:
    return path if path and path.startswith(("/", "?")) else f"/{path or ''}"


def _refuse_what_cannot_be(
    event: str,
    changes: tuple[str, ...],
    edit: bool,
    place: Place,
    headers: tuple[str, ...],
    sign: str | None,
    secret: str | None,
) -> None:
    """Raise Mistake for what is wrong whatever the host says, before it is asked anything."""
    for change in changes:
        payloads.assignment(change)
    for line in headers:
        header(line)
    if sign and not secret:
        raise Mistake("--sign needs --secret, or the variable DEVKIT_SIGNING_SECRET")
    if sign:
        SIGNERS[sign](secret or "", b"", 0, "")  # which refuses a secret that it cannot sign with
    if event != "fetch":
        return
    if edit:
        raise Mistake("--edit is for payloads", hint="edit the file given with --body instead")
    if (place.space or place.site) and not place.installation:
        raise Mistake("--space and --site need an installation", hint="give it with --installation")


def _payload(client: Client, name: str, event: str, body: str | None, changes: tuple[str, ...]) -> dict[str, Any]:
    """Build the payload: a file's or the fixture, then the changes; raises Problem with the place in the file."""
    if body is not None:
        written = payloads.read(body)
        payload = payloads.read_object(written)
        payload["type"] = event
        if not changes:
            payloads.refuse(payloads.check(written))
    else:
        payload = sending.fixture(client, name, event)
    for change in changes:
        payloads.change(payload, change)
    return payload


def _content(body: str | None, changes: tuple[str, ...]) -> bytes:
    """Return the body of a request, byte for byte as in the file unless fields of it are to change."""
    try:
        content = Path(body).read_bytes() if body is not None else event_examples.REQUEST_BODY
    except OSError as error:
        raise Problem(f"{body} cannot be read: {error}") from error
    if not changes:
        return content
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Problem("--set needs a JSON object, which the body of this request is not")
    for change in changes:
        payloads.change(value, change)
    return json.dumps(value).encode()


def _request(
    client: Client, name: str, address: str, description: RequestDescription, count: int, as_json: bool
) -> None:
    """Send a request as often as wanted and show the last answer; raises Problem for an answer that is an error."""
    for _ in range(count - 1):
        request(address, description, client.distance)
    since = history.moment("2s")
    response = request(address, description, client.distance)
    print_result(
        as_json,
        response,
        f"{response['method']} {response['url']} -> {response['status']}",
        *indented(response["body"]),
    )
    if response["status"] >= 400:
        event = _event_of(client, name, description, since)
        if event is None:
            raise Problem(f"the host answered {response['status']} without calling the script; its answer says why")
        reason = outcomes.reason(client, name, event)
        raise Problem(
            f"the script answered {response['status']}{f': {reason}' if reason else ''}",
            hint=f"`devkit events {name} {event}` shows its logs and its answer",
        )


def _event_of(client: Client, name: str, description: RequestDescription, since: str) -> str | None:
    """Find the event of a request that was just sent, which is written a moment after the answer."""
    subject = f"{description.method} {urlsplit(description.path).path or '/'}"
    for pause in (0.0, 0.1, 0.3, 1.0):
        time.sleep(pause)
        for event in history.latest(client, name, 10, type="fetch", since=since):
            if not event.get("withheld") and what(event) == f"fetch {subject}":
                return str(event["id"])
    return None
