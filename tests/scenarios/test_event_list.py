"""The list of events: it shows what its reader just did, waits for no writer, and holds no more than is kept."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.conftest import HostProcess, Installed, init, installed, tenant, wait_for

KEPT = 100
MOST = KEPT + KEPT // 2
"""So many may be there until the oldest are forgotten."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostProcess]:
    init(tmp_path, "First", "first@example.com")
    process = HostProcess(tmp_path, environ={"DEVKIT_KEEP_EVENTS": str(KEPT)}).start()
    yield process
    process.stop()


@pytest.fixture
def one(host: HostProcess) -> Installed:
    return installed(tenant(host, "First", "first@example.com"))


def listed(one: Installed, **query: Any) -> list[dict[str, Any]]:
    answer = one.owner.api.get(f"{one.path}/events", limit=1000, **query)
    assert answer.status == 200, answer.text
    items: list[dict[str, Any]] = answer.json["items"]
    return items


def send(one: Installed, count: int = 1) -> list[str]:
    event = {"type": "space_content_updated", "revisionId": "r"}
    sent = one.owner.api.post(f"{one.path}/events", {"event": event, "count": count})
    assert sent.status == 202, sent.text
    ids: list[str] = sent.json["events"]
    return ids


def test_what_a_reader_just_did_is_in_the_list_they_read_next(one: Installed) -> None:
    for number in range(1, 21):
        assert one.render("breaks").status == 500
        assert len(listed(one, type="ui_render")) == number
        (event,) = send(one)
        assert listed(one)[0]["id"] == event
    for number in range(1, 6):
        assert one.render().status == 200
        assert len(listed(one, type="ui_render", status="success")) == number


def test_calls_that_another_process_answered_are_in_the_list_too(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, "--workers", "2").start()
    one = installed(tenant(host, "First", "first@example.com"))
    for number in range(1, 11):
        assert one.render("breaks").status == 500
        assert len(listed(one, type="ui_render")) == number
    assert host.stop() == 0


def test_a_list_waits_for_no_writer(host: HostProcess, one: Installed) -> None:
    if databases.CHOSEN != "sqlite":
        return  # readers and writers never wait for each other there
    assert one.render("breaks").status == 500
    assert len(listed(one)) >= 1
    with closing(sqlite3.connect(host.data / "host.sqlite", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert one.render("breaks").status == 500
        began = time.monotonic()
        for _ in range(5):
            listed(one)
        waited = time.monotonic() - began
        writer.execute("ROLLBACK")
    assert waited < 15, "a locked database is waited for for 30 s"
    wait_for(lambda: len(listed(one, type="ui_render")) == 2, 60)


def test_no_more_events_are_kept_over_restarts_than_was_said(host: HostProcess, one: Installed) -> None:
    for _ in range(3):
        send(one, count=KEPT)
        assert one.render("breaks").status == 500
        wait_for(lambda: not _left(host, "state IN ('pending', 'claimed', 'failed')"), 60)
        assert _left(host, "state = 'delivered'") <= MOST
        assert host.stop() == 0
        host.start()
    # What is left from before is checked at the start.
    wait_for(lambda: _left(host, "state = 'delivered'") <= KEPT + 10)
    assert _left(host, "state = 'given-up'") == 3


def test_what_is_kept_is_what_is_said_at_the_next_start(host: HostProcess, one: Installed) -> None:
    send(one, count=KEPT)
    wait_for(lambda: not _left(host, "state IN ('pending', 'claimed', 'failed')"), 60)
    assert host.stop() == 0
    host.environ = {"DEVKIT_KEEP_EVENTS": "20"}
    host.start()
    wait_for(lambda: _left(host, "state = 'delivered'") == 20)


def _left(host: HostProcess, condition: str) -> int:
    ((count,),) = databases.ask(host.data, f"SELECT count(*) FROM events WHERE {condition}")
    return int(count)
