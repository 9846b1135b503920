"""What a command says of events that the script refuses, or in which it fails: exit code 1, and where to read why."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from devkit.events import outcomes
from tests.conftest import Installed, Tenant, installed, publication, wait_for
from tests.devkit.conftest import Shell

SCRIPT = """
from runtime.sdk import ExposableError, Integration

integration = Integration()


@integration.task
def task(task):
    if task.get("good"):
        return
    raise ExposableError("the queue of key-of-the-door is closed", 409)


@integration.on("space_content_updated")
def updated(event):
    event["nothing"]


@integration.fetch("POST", "/closed")
def closed():
    raise ExposableError("closed", 409)
"""


@pytest.fixture(scope="module")
def refuses(alpha: Tenant) -> Installed:
    return installed(alpha, SCRIPT, secrets={"KEY": "key-of-the-door"})


def test_a_task_that_the_script_refuses_is_an_error_with_its_answer(logged_in: Shell, refuses: Installed) -> None:
    named = ("--integration", refuses.name)
    done = logged_in("trigger", "task", *named)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert 'rejected (409): {"error":"the queue of [secret] is closed"}' in done.err.replace('": "', '":"')
    assert f"`devkit events {refuses.name} " in done.err
    event = done.err.split(f"`devkit events {refuses.name} ")[1].split("`")[0]
    shown = logged_in("events", refuses.name, event)
    assert "the queue of [secret] is closed" in shown.out
    assert "key-of-the-door" not in shown.out
    good = logged_in("trigger", "task", "--set", "task.good=true", *named, "--json")
    assert (good.code, [one["ending"] for one in good.json["deliveries"]]) == (0, ["success"])
    quick = logged_in("trigger", "task", "--no-wait", *named, "--json")
    assert (quick.code, "deliveries" in quick.json) == (0, False)


def test_an_event_in_which_the_script_fails_is_an_error(logged_in: Shell, refuses: Installed) -> None:
    done = logged_in("trigger", "space_content_updated", "--integration", refuses.name)
    assert (done.code, "space_content_updated" in done.err) == (1, True)
    assert "integration.py:16: KeyError: 'nothing'" in done.err
    sent = logged_in("trigger", "task", "--no-wait", "--integration", refuses.name, "--json")
    again = logged_in("replay", sent.json["events"][0], "--integration", refuses.name)
    assert (again.code, "rejected (409)" in again.err) == (1, True)


def test_a_request_that_fails_names_its_event_or_says_that_the_script_was_not_called(
    logged_in: Shell, refuses: Installed
) -> None:
    done = logged_in("trigger", "fetch", "--path", "/closed?a=1", "--integration", refuses.name)
    assert (done.code, "the script answered 409" in done.err) == (1, True)
    bare = logged_in("trigger", "fetch", "--path", "closed", "--integration", refuses.name)
    assert (bare.code, "the script answered 409" in bare.err) == (1, True)
    event = done.err.split(f"`devkit events {refuses.name} ")[1].split("`")[0]
    assert "POST /closed" in logged_in("events", refuses.name, event).out


def test_a_scenario_is_played_to_its_end_and_fails_with_its_events(
    logged_in: Shell, refuses: Installed, tmp_path: Path
) -> None:
    steps = "".join(f"  - event: {{type: task, task: {{good: {good}}}}}\n" for good in ("true", "false", "true"))
    (tmp_path / "play.yaml").write_text(f"integration: {refuses.name}\nevents:\n{steps}")
    done = logged_in("play", "play.yaml", "--no-delay", "--json")
    assert done.code == 1, done.err
    endings = [sent["deliveries"][0]["ending"] for sent in done.json["sent"]]
    assert endings == ["success", "rejected", "success"]
    assert "1 of 3 events failed" in done.err


def test_the_id_of_an_event_shows_it_in_the_folder_of_its_integration(
    logged_in: Shell, refuses: Installed, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "integration.yaml").write_text(
        f"name: {refuses.name}\ntitle: Refuses\nscript: integration.py\nscopes: []\n"
    )
    (folder / "integration.py").write_text(SCRIPT)
    event = logged_in("trigger", "task", "--set", "task.good=true", "--json", folder=folder).json["events"][0]
    shown = logged_in("events", event, folder=folder)
    assert (shown.code, shown.err) == (0, "")
    assert event in shown.out and '"good": true' in shown.out
    elsewhere = logged_in("events", event)
    assert (elsewhere.code, f"`devkit events NAME {event}`" in elsewhere.err) == (1, True)
    nobody = logged_in("events", "0aB3dE5fG7hJ9kL1mN3p", folder=folder)
    assert (nobody.code, f"{refuses.name} has no event `0aB3dE5fG7hJ9kL1mN3p`" in nobody.err) == (1, True)


def test_an_error_as_json_has_no_colors(logged_in: Shell, refuses: Installed) -> None:
    for command in (("trigger", "task"), ("replay", "--last")):
        done = logged_in(*command, "--integration", refuses.name, "--json")
        assert done.code == 1 and "rejected (409)" in done.err
        assert "\x1b" not in done.err and "u001b" not in done.err


def test_an_event_behind_a_failed_one_says_so_and_goes_on_with_the_next_version(
    logged_in: Shell, alpha: Tenant
) -> None:
    one = installed(alpha, SCRIPT)
    named = ("--integration", one.name)
    failed = logged_in("trigger", "space_content_updated", *named, "--json").json["events"][0]
    # Its second attempt comes soon, the third one later than anybody waits at a terminal.
    wait_for(lambda: one.owner.api.get(f"{one.path}/events/{failed}").json["event"]["delivery"]["attempts"] == 3)
    began = time.monotonic()
    done = logged_in("trigger", "space_content_updated", *named)
    assert time.monotonic() - began < outcomes.PATIENCE / 2
    assert (done.code, "queued" in done.out) == (0, True), done.err
    assert f"waits for {failed}, which failed before it (attempt 3, next attempt at " in done.out
    assert f"`devkit events {one.name} {failed}`" in done.out
    again = logged_in("replay", failed, *named, "--json")
    (delivery,) = again.json["replayed"][0]["deliveries"]
    assert (delivery["ending"], delivery["waitsFor"]) == ("queued", failed)
    fixed = SCRIPT.replace('    event["nothing"]', '    event["type"]')
    assert alpha.api.post(one.path, publication(alpha.id, fixed)).status == 200
    last = logged_in("trigger", "space_content_updated", *named)
    assert (last.code, "success" in last.out) == (0, True), last.out


def test_played_events_are_counted_by_how_they_ended(logged_in: Shell, refuses: Installed, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("events:\n" + 2 * "  - event: {type: task, task: {good: true}}\n")
    done = logged_in("play", str(tmp_path / "good.yaml"), "--integration", refuses.name)
    assert (done.code, done.out.splitlines()[-1]) == (0, "Played 2 events: 2 success.")
