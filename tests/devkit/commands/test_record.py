"""`devkit record` and `devkit play`: a scenario file and back."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from devkit.events import scenarios
from tests.conftest import Installed, wait_for
from tests.devkit.commands.listener import heard_listener  # noqa: F401  # fixtures
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, environment


def happen(integration: Installed, *revisions: str) -> None:
    """Send updates and wait until all are in the history."""
    for revision in revisions:
        event = {"type": "space_content_updated", "revisionId": revision}
        assert integration.owner.api.post(f"{integration.path}/events", {"event": event}).status == 202
    wait_for(lambda: set(revisions) <= set(heard(integration)), 60)


def heard(integration: Installed) -> list[str]:
    """The revisions the script logged, oldest first."""
    listed = integration.owner.api.get(f"{integration.path}/events", type="space_content_updated").json["items"]
    return [item["payload"]["revisionId"] for item in reversed(listed)]


def scenario(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_past_becomes_a_file_that_plays(logged_in: Shell, hears: Installed, tmp_path: Path) -> None:
    happen(hears, "one", "two")
    named = ("--type", "space_content_updated", "--integration", hears.name)
    done = logged_in("record", "past.yaml", "--since", "1h", *named, "--json")
    assert (done.code, done.json["events"]) == (0, 2), done.err
    written = scenario(tmp_path / "past.yaml")
    assert written["integration"] == hears.name
    assert [set(entry) for entry in written["events"]] == [{"after", "event"}] * 2
    assert written["events"][0]["after"] == 0
    assert [entry["event"] for entry in written["events"]] == [
        {"type": "space_content_updated", "revisionId": revision} for revision in ("one", "two")
    ]
    text = (tmp_path / "past.yaml").read_text()
    (tmp_path / "past.yaml").write_text(text.replace("revisionId: two", "revisionId: three"))
    played = logged_in("play", "past.yaml", "--speed", "2x")
    assert played.code == 0, played.err
    assert played.out.splitlines()[-1] == "Played 2 events: 2 success."
    wait_for(lambda: heard(hears) == ["one", "two", "one", "three"], 60)
    (tmp_path / "one.yaml").write_text("events:\n  - event: {type: space_content_updated, revisionId: four}\n")
    one = logged_in("play", "one.yaml", "--integration", hears.name)
    assert one.out.splitlines()[-1] == "Played 1 event: 1 success.", one.err
    assert "already exists" in logged_in("record", "past.yaml", *named).err
    assert logged_in("record", "past.yaml", "--since", "1h", "--force", "--count", "3", *named).code == 0
    assert len(scenario(tmp_path / "past.yaml")["events"]) == 3


@pytest.mark.parametrize("ending", ["count", "signal"])
def test_what_happens_is_recorded_to_the_end(ending: str, logged_in: Shell, hears: Installed, tmp_path: Path) -> None:
    happen(hears, "before")
    command = [sys.executable, "-m", "devkit", "record", "live.yaml", "--integration", hears.name]
    recorder = subprocess.Popen(
        [*command, *(("--count", "2") if ending == "count" else ())],
        env=environment(tmp_path),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert recorder.stdout is not None
    assert "Ctrl-C ends it" in recorder.stdout.readline()
    happen(hears, "one", "two")
    if ending == "signal":
        path = tmp_path / "live.yaml"
        wait_for(lambda: path.exists() and len(scenario(path)["events"]) == 2, 60)
        recorder.send_signal(signal.SIGINT)
    out, err = recorder.communicate(timeout=PATIENCE)
    assert (recorder.returncode, err.count("\n"), err.startswith("host: ")) == (0, 1, True)
    assert "2 events in live.yaml" in out
    written = scenario(tmp_path / "live.yaml")
    assert [entry["event"]["revisionId"] for entry in written["events"]] == ["one", "two"]
    assert not list(tmp_path.glob(".live.yaml*"))


def test_a_scenario_plays_without_its_pauses(logged_in: Shell, hears: Installed, tmp_path: Path) -> None:
    (tmp_path / "day.yaml").write_text(
        f"integration: {hears.name}\n"
        "events:\n"
        "  - event: {type: space_content_updated, revisionId: '2026-01-01'}\n"
        "  - after: 86400\n"
        "    event: {type: fetch, request: {method: post, url: /hook, headers: {x-test: a}}}\n"
        "    body: hello\n"
    )
    played = logged_in("play", "day.yaml", "--no-delay", "--json")
    assert played.code == 0, played.err
    first, second = played.json["sent"]
    assert (first["type"], len(first["events"])) == ("space_content_updated", 1)
    assert '"body": "hello"' in second["answer"]["body"]
    wait_for(lambda: heard(hears) == ["2026-01-01"], 60)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("events: 5\n", "s.yaml:1:1: a scenario has `events:` with a list"),
        ("events:\n  - after: 1\n", "s.yaml:2:5: an entry has `event:`"),
        ("events:\n  - event: {type: task}\n", "s.yaml:2:5: `task` is missing"),
        ("events:\n  - after: soon\n    event: {type: task, task: {}}\n", "s.yaml:2:5: after: write seconds"),
        ("events:\n  - event:\n      type: taks\n", "s.yaml:3:7: type: there is no event `taks`; did you mean `task`?"),
        (
            "events:\n  - event: {type: xyzzy}\n",
            "s.yaml:2:13: type: there is no event `xyzzy`; `devkit trigger --help`",
        ),
        ("events:\n  - event: {task: {}}\n", "s.yaml:2:5: type: write the type of the event; `devkit trigger --help`"),
        ("events:\n  - event: {type: task, task: {}}\n    afetr: 1\n", "s.yaml:3:5: there is no `afetr` here"),
        ("events: [\n", "s.yaml:2:1: is not JSON or YAML"),
        ("events:\n  - event: {type: task, task: {}}\n", "which integration? Name it"),
    ],
)
def test_faults_of_a_scenario_name_their_place(text: str, words: str, logged_in: Shell, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(text)
    done = logged_in("play", "s.yaml")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert words in done.err


def test_an_event_for_nobody_ends_the_play_at_its_place(logged_in: Shell, counter: Installed, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "events:\n"
        "  - event: {type: space_content_updated, revisionId: r}\n"
        "  - event: {type: space_gitsync_started, revisionId: r, commitId: c}\n"
    )
    done = logged_in("play", "s.yaml", "--integration", counter.name)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "s.yaml:3:5: no installation received the event" in done.err
    assert "(1 of 2 sent)" in done.err
    wrong = logged_in("play", "s.yaml", "--speed", "fast")
    assert (wrong.code, "write 2x, 10x or 0.5x" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere/new.yaml",), 1, "there is no folder"),
        (("new.yaml", "--since", "1s", "--type", "task"), 1, "nothing was recorded"),
        (("new.yaml", "--since", "soon"), 2, "--since soon"),
    ],
)
def test_what_cannot_be_recorded_is_reported(
    arguments: tuple[str, ...], code: int, words: str, logged_in: Shell, counter: Installed, tmp_path: Path
) -> None:
    done = logged_in("record", *arguments, "--integration", counter.name)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert words in done.err
    assert not (tmp_path / "new.yaml").exists()


def test_a_place_that_cannot_be_written_is_named_and_not_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(scenarios.Unwritable, match=r"file/past\.yaml cannot be written: Not a directory$"):
        scenarios.write(tmp_path / "file" / "past.yaml", "sample", [])
