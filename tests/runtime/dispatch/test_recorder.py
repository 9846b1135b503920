"""Calls are written in batches, and a call that cannot be written hides no other one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import select

from runtime.contract.identifiers import new_id
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.recorder import Recorder
from runtime.store import secrets
from runtime.store.database import now
from runtime.store.tables.events import EventRow
from tests import databases


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
