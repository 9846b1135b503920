"""`devkit events`: the list with its filters, and one event with its trace."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Installed, Tenant, wait_for
from tests.devkit.commands.listener import listener
from tests.devkit.conftest import Shell

CONTEXT = {"type": "document", "editable": True, "theme": "light"}


@pytest.fixture(scope="module")
def hears(alpha: Tenant) -> Installed:
    """An integration that has heard a few events of three types, one of which failed."""
    listening = listener(alpha)
    base = f"{listening.path}/events"
    for event in (
        {"type": "space_content_updated", "revisionId": "first"},
        {"type": "space_content_updated", "revisionId": "second"},
        {"type": "ui_render", "componentId": "nothing", "props": {}, "context": CONTEXT},
    ):
        assert alpha.api.post(base, {"event": event}).status == 202
    wait_for(lambda: alpha.api.get(base, type="space_content_updated").json["count"] == 2, 60)
    return listening


def test_events_are_listed_and_filtered(logged_in: Shell, hears: Installed) -> None:
    everything = logged_in("events", hears.name, "--json").json["events"]
    kinds = [event["payload"]["type"] for event in everything]
    assert {"ui_render", "space_content_updated"} <= set(kinds)
    assert [one["createdAt"] for one in everything] == sorted(
        (event["createdAt"] for event in everything), reverse=True
    )

    def listed(*options: str) -> list[str]:
        events = logged_in("events", hears.name, *options, "--json")
        assert events.code == 0, events.err
        return [event["id"] for event in events.json["events"]]

    updates = [event["id"] for event in everything if event["payload"]["type"] == "space_content_updated"]
    failed = [one["id"] for one in everything if one["status"] == "failed"]
    assert len(updates) == 2
    assert len(failed) == 1
    assert listed("--type", "space_content_updated") == updates
    assert listed("--status", "failed") == failed
    for status in ("not-found", "not found"):
        assert listed("--status", status) == failed
    assert set(listed("--status", "success")) == {one["id"] for one in everything if one["status"] == "success"}
    for status in ("refused", "rejected", "busy", "timed-out", "will-be-retried", "retrying", "not-handled"):
        assert listed("--status", status) == []
    assert listed("--installation", hears.installation) == [entry["id"] for entry in everything]
    assert listed("--installation", "another") == []
    assert listed("--since", "2h") == [entry["id"] for entry in everything]
    last = max(event["createdAt"] for event in everything if event["id"] in updates)
    assert set(listed("--since", last, "--type", "space_content_updated")) == set(updates[:1])
    assert listed("--limit", "1", "--type", "space_content_updated") == updates[:1]
    text = logged_in("events", hears.name)
    assert len(text.out.splitlines()) == len(everything)
    assert f"{failed[0]}" in text.out
    assert "not found (404)" in text.out
    assert "ui_render nothing" in text.out
    assert logged_in("events", hears.name, "--type", "task").out == "No such events.\n"


def test_an_event_is_shown_with_its_trace(logged_in: Shell, hears: Installed) -> None:
    (newest,) = logged_in("events", hears.name, "--type", "space_content_updated", "--limit", "1", "--json").json[
        "events"
    ]
    result = logged_in("events", hears.name, newest["id"])
    assert result.code == 0, result.err
    assert '"revisionId": "second"' in result.out
    assert "info  heard" in result.out
    assert " ms of 30 s" in result.out
    assert " of 128 MB" in result.out
    assert "requests  0 of 50" in result.out
    detail = logged_in("events", hears.name, newest["id"], "--json").json
    assert set(detail) == {"event", "trace"}
    assert json.dumps(detail["event"]["payload"])


def test_requests_are_told_by_method_path_and_answer(logged_in: Shell, hears: Installed, alpha: Tenant) -> None:
    fetch = {"event": {"type": "fetch", "request": {"method": "post", "url": "/hook?a=1", "headers": {}}}, "body": "b"}
    sent = alpha.api.post(f"{hears.path}/events", fetch)
    assert sent.json["answer"]["status"] == 200
    (event,) = sent.json["events"]
    assert f"{event} fetch POST /hook success " in logged_in("logs", hears.name, "--type", "fetch").out
    assert "fetch POST /hook" in logged_in("events", hears.name, "--type", "fetch").out
    shown = logged_in("events", hears.name, event).out
    assert "answer\n  200, " in shown
    assert "content-type: application/json" in shown
    assert '"body": "b"' in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("{name}", "--since", "soon"), "--since soon: write 30s, 10m, 2h, 1d"),
        (("{name}", "--since", "999999d"), "write 30s"),
        (("{name}", "--type", "nothing"), "there is no event `nothing`"),
        (("{name}", "0aB3dE5fG7hJ9kL1mN3p"), "error: "),
        (("no-such-integration",), "error: "),
    ],
)
def test_what_is_wrong_is_reported(arguments: tuple[str, ...], words: str, logged_in: Shell, hears: Installed) -> None:
    done = logged_in("events", *(argument.format(name=hears.name) for argument in arguments))
    assert done.code != 0
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert words in done.err
