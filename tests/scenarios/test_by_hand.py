"""Events sent by hand through the API: those somebody waits for, and whom they are for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Answer, Installed, Tenant, wait_for

BEFORE = {"status": "active", "configuration": {"text": "x" * 100_000}}


def send(one: Installed, event: dict[str, Any], **more: Any) -> Answer:
    return one.owner.api.post(f"{one.path}/events", {"event": event, **more})


def render(component: str, **context: Any) -> dict[str, Any]:
    shown = {"type": "document", "editable": True, "theme": "light", **context}
    return {"type": "ui_render", "componentId": component, "props": {}, "context": shown}


def request(method: str, url: str) -> dict[str, Any]:
    return {"type": "fetch", "request": {"method": method, "url": url, "headers": {}}}


def test_what_somebody_waits_for_is_answered(counter: Installed) -> None:
    sent = send(counter, render("counter"))
    assert sent.status == 202
    assert sent.json["answer"]["status"] == 200
    assert json.loads(sent.json["answer"]["body"])["state"] == {"count": 0}
    (event,) = sent.json["events"]
    path = f"{counter.path}/events/{event}"

    def kept() -> Any:
        counter.owner.api.get(f"{counter.path}/events", limit=1)  # the list waits for what is being written
        return (found := counter.owner.api.get(path)).status == 200 and found.json["event"]["payload"]

    payload = wait_for(kept, 60)
    assert payload["context"]["spaceId"] == payload["spaceId"] == counter.space
    assert payload["installationId"] == counter.installation


@pytest.mark.parametrize("kind", ["account", "space", "site", "contentsource"])
def test_every_context_is_filled_in(kind: str, counter: Installed) -> None:
    context = {"type": f"configuration_{kind}", "theme": "light"}
    sent = send(counter, {"type": "ui_render", "componentId": "counter", "props": {}, "context": context})
    assert (sent.status, sent.json["answer"]["status"]) == (202, 200), sent.text


def test_a_request_is_for_the_level_it_names(counter: Installed) -> None:
    sent = send(counter, request("get", "/hello?a=1"))
    assert sent.json["answer"]["body"].endswith(f"/v1/integrations/{counter.name}/integration/hello?a=1")
    for places, tail in (
        ({"installationId": "*"}, f"/installation/{counter.installation}/hello"),
        ({"installationId": "*", "siteId": "*"}, f"/site-installation/{counter.installation}/{counter.site}/hello"),
    ):
        sent = send(counter, request("get", "/hello") | places)
        assert sent.json["answer"]["body"].endswith(tail)
    echoed = send(counter, request("post", "/echo"), body="grüß")
    assert (echoed.json["answer"]["status"], echoed.json["answer"]["body"]) == (201, "grüß")


def test_copies_of_an_event_are_bounded_together(counter: Installed) -> None:
    for event in (
        {"type": "task", "task": {"text": "x" * 100_000}},
        {"type": "installation_setup", "status": "active", "previous": BEFORE},
    ):
        sent = send(counter, event, count=1000)
        assert sent.status == 400 and "Send a smaller `count`" in sent.json["error"]["message"]
        assert send(counter, event, count=2).status == 202
    assert send(counter, {"type": "task", "task": {}}, count=2000).status == 202


def test_nobody_gets_what_nobody_may(counter: Installed, beta: Tenant) -> None:
    sent = send(counter, {"type": "fetch_visitor_authentication"})
    assert sent.json["events"] == []
    assert "site:visitor:auth" in sent.json["reason"]
    assert "answer" not in sent.json
    stranger = beta.api.post(f"{counter.path}/events", {"event": render("counter")})
    assert stranger.status in (403, 404)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (render("counter", spaceId={}), "event.context.spaceId"),
        (render("counter", theme="grey"), "event.context.theme"),
        (render("counter", type="dream"), "event.context"),
        (render("counter") | {"installationId": "nobody"}, "event.installationId"),
        ({"type": "space_content_updated", "revisionId": "r", "installationId": "nobody"}, "event.installationId"),
        (request("patch", "/"), "event.request.method"),
    ],
)
def test_what_is_wrong_is_named(event: dict[str, Any], words: str, counter: Installed) -> None:
    sent = send(counter, event)
    assert sent.status == 400
    assert words in sent.json["error"]["message"]


def test_a_time_is_a_time(counter: Installed) -> None:
    for text in ("soon", "2026-01-31T12:00:00", "99999", "0.5", "-1", "1e9", "inf"):
        answer = counter.owner.api.get(f"{counter.path}/events", since=text)
        assert answer.status == 400 and answer.json["error"]["message"].startswith("since: "), text
    assert counter.owner.api.get(f"{counter.path}/events", since="2999-01-01T00:00:00Z").json["count"] == 0
