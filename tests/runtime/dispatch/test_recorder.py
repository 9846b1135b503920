"""Calls are written in batches, and a call that cannot be written hides no other one."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.dispatch import recorder as recorder_module
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.recorder import Recorder
from runtime.store import secrets
from runtime.store.database import Database, now
from runtime.store.tables.events import EventRow
from tests import databases
from tests.conftest import wait_for


def _call(integration_id: str, body: str) -> dict[str, Any]:
    event: dict[str, Any] = {"id": new_id(), "integration_id": integration_id, "type": "fetch", "attempts": 1}
    said = {"payload": json.dumps({"type": "fetch"}), "body": body, "installation_id": None, "duration_ms": 1.0}
    return event | said | {"lane": event["id"], "state": "delivered", "due_at": 0.0, "answer": 200, "created_at": now()}


def test_a_call_that_cannot_be_stored_hides_no_other_one(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    calls = [_call(new_id(), body) for body in ("first", "\ud800", "last")]
    with databases.opened(tmp_path) as store:
        recorder = Recorder(store, Announcer(), keep=10)
        for call in calls:
            recorder.record("name", call)
        recorder.close()
        with store.transaction(writes=False) as session:
            kept = set(session.scalars(select(EventRow.body).where(EventRow.id.in_([call["id"] for call in calls]))))
    assert kept == {"first", "last"}


class Away:
    """A database that can be away."""

    def __init__(self, store: Database) -> None:
        self.store, self.is_away, self.tries = store, True, 0

    def transaction(self, *, writes: bool) -> AbstractContextManager[Session]:
        self.tries += 1
        if self.is_away:
            raise OperationalError("COMMIT", {}, Exception("the server is restarting"))
        return self.store.transaction(writes=writes)


def test_calls_wait_for_a_database_that_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "RETRY", 0.01)
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    calls = [_call(new_id(), body) for body in ("first", "\ud800", "last")]
    with databases.opened(tmp_path) as store:
        away = Away(store)
        recorder = Recorder(away, Announcer(), keep=10)  # type: ignore[arg-type]
        for call in calls:
            recorder.record("name", call)
        wait_for(lambda: away.tries > 3)
        away.is_away = False
        recorder.close()
        with store.transaction(writes=False) as session:
            kept = set(session.scalars(select(EventRow.body).where(EventRow.id.in_([call["id"] for call in calls]))))
    assert kept == {"first", "last"}


def test_calls_wait_no_longer_than_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("RETRY", "PATIENCE", "LAST_TRIES"):
        monkeypatch.setattr(recorder_module, name, 0.01)
    with databases.opened(tmp_path) as store:
        away = Away(store)
        recorder = Recorder(away, Announcer(), keep=10)  # type: ignore[arg-type]
        recorder.record("name", _call(new_id(), "lost"))
        wait_for(lambda: "1 calls are missing in the event log" in caplog.text)
        recorder.record("name", _call(new_id(), "lost, too"))
        recorder.close()
    assert not recorder._thread.is_alive() and not recorder._waiting
    assert away.tries >= 2


def test_a_bug_holds_nothing_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    good, bad = _call(new_id(), "good"), _call(new_id(), "bad")
    del bad["integration_id"]
    with databases.opened(tmp_path) as store:
        recorder = Recorder(store, Announcer(), keep=10)
        recorder.record("name", bad)
        wait_for(lambda: not recorder._waiting)
        recorder.record("name", good)
        recorder.close()
        with store.transaction(writes=False) as session:
            assert session.scalar(select(EventRow.body).where(EventRow.id == good["id"])) == "good"
    assert any(record.exc_info for record in caplog.records)
