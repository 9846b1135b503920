"""Sends events by hand."""

from __future__ import annotations

from typing import Any

from devkit.events.history import path
from devkit.hosts import response_shapes
from devkit.hosts.client import Client, part
from devkit.terminal.output import Problem, shortened
from runtime.contract import event_examples
from runtime.contract.event_descriptions import ENDPOINT

PLACES = ("installationId", "spaceId", "siteId")
MASKED = "[secret]"
ANY = "*"
"""In place of an id: any that is there, on the host it is sent to."""


def send(client: Client, name: str, event: dict[str, Any], count: int = 1, body: str | None = None) -> dict[str, Any]:
    """Send an event; returns ids and, if somebody waits for it, the answer. Raises Problem if nobody got it."""
    request = {"event": event, "count": count} | ({} if body is None else {"body": body})
    sent: dict[str, Any] = client.call("POST", path(name), request, shape=response_shapes.SENT)
    if not sent["events"]:
        raise Problem(f"no installation received the event: {shortened(sent.get('reason') or 'nothing matched')}")
    return sent


def as_new(payload: dict[str, Any], *, elsewhere: bool) -> dict[str, Any]:
    """Prepare a past payload for sending again: without its id and, with `elsewhere`, without its host's ids.

    A request keeps its level, its address becomes relative to the endpoint, and headers that the host did not keep are
    left out.
    """
    dropped = ("eventId", *(PLACES if elsewhere else ()))
    event = {key: value for key, value in payload.items() if key not in dropped}
    if elsewhere and event["type"] == "fetch":
        event |= {key: ANY for key in PLACES if key in payload}
    context = event.get("context")
    if elsewhere and isinstance(context, dict):
        event["context"] = {key: value for key, value in context.items() if key not in (*PLACES, "organizationId")}
    if event["type"] == "fetch" and "request" in event:  # which the host withholds from others than its owner
        request = event["request"]
        headers = {name: value for name, value in request["headers"].items() if value != MASKED}
        tail = ENDPOINT.sub("", request["url"])
        url = tail if tail.startswith(("/", "?")) else tail or "/"
        event["request"] = {**request, "headers": headers, "url": url}
    return event


def fixture(client: Client, name: str, event: str) -> dict[str, Any]:
    """Return a realistic payload for an event, adapted to the integration; raises Problem."""
    if event in event_examples.PER_INTEGRATION:
        return event_examples.suited(
            event, client.call("GET", f"/v1/integrations/{part(name)}", shape=response_shapes.OFFERED)
        )
    return event_examples.payload(event)


def outcome(sent: dict[str, Any]) -> str:
    """Describe the result of sending an event: its ids, or the script's answer."""
    ids = sent["events"]
    answer = sent.get("answer")
    if answer is not None:
        return f"{ids[0]}, answered {answer['status']}"
    return ", ".join(ids[:5]) + (" ..." if len(ids) > 5 else "")
