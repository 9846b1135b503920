"""`devkit replay`: past events once more, on the same host and on the author's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.conftest import Installed, Tenant, installed, wait_for
from tests.devkit.commands.editor import editor
from tests.devkit.commands.listener import (  # noqa: F401  # fixtures
    BACKGROUND,
    SCOPES,
    SCRIPT,
    heard_listener,
)
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import DevProcess


def happened(integration: Installed, event: dict[str, Any]) -> str:
    """Send an event and wait until it is in the history; gives its id."""
    sent = integration.owner.api.post(f"{integration.path}/events", {"event": event})
    assert sent.status == 202, sent.text
    (created,) = sent.json["events"]
    payload(integration, created)
    return str(created)


def payload(integration: Installed, event: str) -> dict[str, Any]:
    """Wait for the end of an event; gives its payload."""

    def ended() -> Any:
        listed = integration.owner.api.get(f"{integration.path}/events").json["items"]
        return next((item["payload"] for item in listed if item["id"] == event), None)

    response: dict[str, Any] = wait_for(ended, 60)
    return response


def requested(integration: Installed) -> Any:
    """Wait for the first request in the history: it is written after its answer is sent."""
    return wait_for(lambda: integration.owner.api.get(f"{integration.path}/events", type="fetch").json["items"], 60)[0]


def test_an_event_comes_again_with_an_id_of_its_own(logged_in: Shell, hears: Installed) -> None:
    first = happened(hears, {"type": "space_content_updated", "revisionId": "r", "spaceId": hears.space})
    done = logged_in("replay", first, "--integration", hears.name, "--json")
    assert done.code == 0, done.err
    (again,) = done.json["replayed"]
    assert again["from"] == first
    (fresh,) = again["events"]
    assert fresh != first
    assert payload(hears, fresh) == payload(hears, first) | {"eventId": fresh}
    last = logged_in("replay", "--last", "--integration", hears.name)
    assert (last.code, f"Sent space_content_updated {fresh} again: " in last.out) == (0, True), last.err
    assert last.out.rstrip().endswith(", success")


def test_a_time_takes_what_came_by_itself_oldest_first(logged_in: Shell, hears: Installed) -> None:
    ids = [happened(hears, {"type": "space_content_updated", "revisionId": str(number)}) for number in range(3)]
    hears.render("first")
    done = logged_in(
        "replay", "--since", "1h", "--type", "space_content_updated", "--integration", hears.name, "--json"
    )
    assert done.code == 0, done.err
    assert [one["from"] for one in done.json["replayed"]] == ids
    done = logged_in("replay", "--since", "1h", "--integration", hears.name, "--json")
    assert "ui_render" not in {one["type"] for one in done.json["replayed"]}


def test_calls_that_were_answered_are_answered_again(logged_in: Shell, hears: Installed) -> None:
    headers = {"Authorization": "Bearer of a visitor", "X-Kept": "yes"}
    address = f"/v1/integrations/{hears.name}/installation/{hears.installation}/hook?a=1"
    assert hears.owner.api.call("POST", address, {"hello": 1}, headers=headers).status == 200
    created = requested(hears)
    done = logged_in("replay", created["id"], "--integration", hears.name, "--json")
    assert done.code == 0, done.err
    assert done.err == ""
    body = json.loads(done.json["replayed"][0]["answer"]["body"])
    assert body["url"].endswith(f"/installation/{hears.installation}/hook?a=1")
    assert body["headers"]["x-kept"] == "yes"
    assert "authorization" not in body["headers"]
    assert json.loads(body["body"]) == {"hello": 1}, "the host kept the body"


def test_a_body_that_was_not_kept_is_reported(logged_in: Shell, hears: Installed) -> None:
    address = f"{hears.owner.api.url}/v1/integrations/{hears.name}/integration/hook"
    for content in (b"\xff\xfe no text", b"x" * 70_000):
        before = len(hears.owner.api.get(f"{hears.path}/events", type="fetch").json["items"])
        assert requests.post(address, data=content, timeout=30).status_code == 200
        created = wait_for(lambda count=before: newest(hears, count), 30)
        assert "body" not in hears.owner.api.get(f"{hears.path}/events/{created['id']}").json
        done = logged_in("replay", created["id"], "--integration", hears.name, "--json")
        assert (done.code, "the host kept no body of this request" in done.err) == (0, True)


def newest(integration: Installed, before: int) -> Any:
    """The newest request, once there are more than before."""
    items = integration.owner.api.get(f"{integration.path}/events", type="fetch").json["items"]
    return items[0] if len(items) > before else None


def test_a_replay_may_carry_a_body_and_an_edit(logged_in: Shell, hears: Installed, tmp_path: Path) -> None:
    assert hears.owner.api.post(f"/v1/integrations/{hears.name}/integration/hook", {"a": 1}).status == 200
    requested(hears)
    (tmp_path / "body.txt").write_text("grüß")
    named = ("--integration", hears.name, "--json")
    done = logged_in("replay", "--last", "--type", "fetch", "--body", "body.txt", *named)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.json["replayed"][0]["answer"]["body"])["body"].encode("latin-1") == "grüß".encode()
    first = happened(hears, {"type": "space_content_updated", "revisionId": "before"})
    edit = {"EDITOR": editor(tmp_path, "before", "after"), "VISUAL": ""}
    done = logged_in("replay", first, "--edit", *named, **edit)
    assert payload(hears, done.json["replayed"][0]["events"][0])["revisionId"] == "after"
    wrong = {"EDITOR": editor(tmp_path, "revisionId: before", "revisionId: [1]"), "VISUAL": "", "TMPDIR": str(tmp_path)}
    done = logged_in("replay", first, "--edit", *named, **wrong)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "revisionId: must be a text" in done.err


def test_a_remote_past_comes_to_the_local_code(
    logged_in: Shell, hears: Installed, start_dev: Callable[..., DevProcess], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "integration.py").write_text(SCRIPT.replace("KINDS", repr(BACKGROUND)))
    lines = [f"name: {hears.name}", "title: Listener", "description: Hears.", "runtime: python"]
    lines += ["script: integration.py", "visibility: private", f"scopes: {json.dumps(SCOPES)}"]
    lines += ["blocks:", "  - id: first", "    title: First"]
    (project / "integration.yaml").write_text("\n".join([*lines, ""]))
    process = start_dev(project)
    process.wait("ready")
    update = happened(hears, {"type": "space_content_updated", "revisionId": "from afar", "spaceId": hears.space})
    address = f"/v1/integrations/{hears.name}/site-installation/{hears.installation}/{hears.site}/hook"
    assert hears.owner.api.get(address).status == 200
    requested(hears)
    before = len(process.messages)
    done = logged_in("replay", update, "--to", "local", "--json", folder=project)
    assert done.code == 0, done.err
    assert done.json["host"] == f"http://127.0.0.1:{process.port}"

    def heard() -> Any:
        events = [line["event"]["event"]["payload"] for line in process.messages[before:] if line["type"] == "event"]
        return next((event for event in events if event["type"] == "space_content_updated"), None)

    got = wait_for(heard, 60)
    assert got["revisionId"] == "from afar"
    assert got["spaceId"] != hears.space
    done = logged_in("replay", "--last", "--type", "fetch", "--to", "local", "--json", folder=project)
    body = json.loads(done.json["replayed"][0]["answer"]["body"])
    origin, _, _ = body["url"].partition("/v1/")
    assert origin.startswith(f"http://{hears.name}-") and origin.endswith(f".localhost:{process.port}")
    assert "/installation/" in body["url"] or "/site-installation/" in body["url"]
    assert body["url"].endswith("/hook")
    done = logged_in("trigger", "ui_render", "--to", "local", folder=project)
    assert (done.code, "drawn {}" in done.out) == (0, True), done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Give an event's ID, or --last, or --since 2h."),
        (("x", "--last"), "Give an event's ID"),
        (("x", "--type", "task"), "cannot be combined with an ID"),
        (("0aB3dE5fG7hJ9kL1mN3p",), "error: "),
        (("--last", "--type", "task"), "has no such event"),
        (("--since", "1h", "--edit"), "--edit takes one event"),
        (("--last", "--to", "local"), "no `devkit dev` is running for this folder"),
        (("--last", "--body", "body.txt"), "--body is for `fetch` events"),
    ],
)
def test_what_is_wrong_is_reported(
    arguments: tuple[str, ...], words: str, logged_in: Shell, counter: Installed, tmp_path: Path
) -> None:
    for number in range(2):
        happened(counter, {"type": "space_content_updated", "revisionId": str(number)})
    (tmp_path / "body.txt").write_text("")
    done = logged_in("replay", *arguments, "--integration", counter.name)
    assert done.code != 0
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert words in done.err


def test_a_refusal_as_json_has_its_status(logged_in: Shell, alpha: Tenant) -> None:
    integration = installed(alpha)
    event = happened(integration, {"type": "space_content_updated", "revisionId": "r", "spaceId": integration.space})
    assert alpha.api.call("DELETE", f"{integration.path}/installations/{integration.installation}").status < 300
    done = logged_in("replay", event, "--integration", integration.name, "--json")
    assert (done.code, json.loads(done.err)["error"]["status"]) == (1, 400)


def test_events_of_other_organizations_are_neither_replayed_nor_recorded(
    logged_in: Shell, alpha: Tenant, beta: Tenant, tmp_path: Path
) -> None:
    integration = installed(alpha, visibility="public")
    theirs = beta.api.post(f"{integration.path}/installations", {"organization": beta.id}).json["id"]
    path = f"{integration.path}/events"
    body = wait_for(lambda: alpha.api.get(path, installation=theirs, type="installation_setup").json["items"])
    done = logged_in("replay", body[0]["id"], "--integration", integration.name)
    assert done.code == 1 and "another organization" in done.err
    recorded = logged_in("record", "recorded.yaml", "--since", "1h", "--integration", integration.name, folder=tmp_path)
    assert recorded.code == 0, recorded.err
    assert "1 events of other organizations were left out" in recorded.err
    assert theirs not in (tmp_path / "recorded.yaml").read_text()
