"""Events that wait: a change that is made over and over writes no more of them than there may be."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from runtime.contract.identifiers import new_id
from runtime.dispatch import outbox
from runtime.dispatch.retention import Retention
from runtime.store import claims, queue, secrets
from runtime.store.database import Database, now
from runtime.store.installed import Installed
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow
from tests import databases

SCOPES = ("space:content:read", "site:views:read")
CHANGED = {"revisionId": "r"}


def _waiting(integration_id: str) -> dict[str, Any]:
    event: dict[str, Any] = {"id": new_id(), "integration_id": integration_id, "type": "task", "payload": "{}"}
    return event | {"lane": event["id"], "state": "failed", "attempts": 1, "due_at": time.time(), "created_at": now()}


def _count(store: Database, integration_id: str) -> int:
    with store.transaction(writes=False) as session:
        of = select(func.count()).select_from(EventRow).where(EventRow.integration_id == integration_id)
        return session.scalar(of) or 0


def test_what_changes_cause_is_bounded_for_each_integration(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    greedy, other = new_id(), new_id()
    both = [Installed(new_id(), one, "active", SCOPES, "all", "all") for one in (greedy, other)]
    installation = InstallationRow(id=both[0].installation_id, integration_id=greedy)
    with databases.opened(tmp_path) as store:
        with store.transaction(writes=True) as session:
            queue.add(session, [_waiting(greedy) for _ in range(queue.HARD_MAX_WAITING - 1)])
        with store.transaction(writes=True) as session:
            assert len(outbox.emit(session, "space_content_updated", both, CHANGED, space_id="s")[0]) == 2
        for _ in range(3):
            with store.transaction(writes=True) as session:
                assert len(outbox.emit(session, "space_content_updated", both, CHANGED, space_id="s")[0]) == 1
                outbox.emit_change(session, "installation_setup", installation, {"status": "active"})
                outbox.emit_to(session, "installation_setup", installation, {"status": "active"})
        assert _count(store, greedy) == queue.HARD_MAX_WAITING
        assert _count(store, other) == 4


def test_as_many_at_once_as_there_is_no_room_for_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Installing on thousands of spaces causes an event for each."""
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    greedy = new_id()
    installation = InstallationRow(id=new_id(), integration_id=greedy)
    with databases.opened(tmp_path) as store:
        with store.transaction(writes=True) as session:
            queue.add(session, [_waiting(greedy) for _ in range(queue.HARD_MAX_WAITING - 3)])
        for count, kept in ((4, 0), (3, 3), (1, 3), (4, 3)):
            with store.transaction(writes=True) as session:
                fields = [{"spaceId": new_id(), "status": "active"} for _ in range(count)]
                outbox.emit_to(session, "space_installation_setup", installation, *fields)
            assert _count(store, greedy) == queue.HARD_MAX_WAITING - 3 + kept
    assert len([one for one in caplog.records if greedy in one.getMessage()]) == 1, "the operator is told now and then"


def test_the_bytes_of_what_waits_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    greedy, other = new_id(), new_id()
    both = [Installed(new_id(), one, "active", SCOPES, "all", "all") for one in (greedy, other)]
    installation = InstallationRow(id=both[0].installation_id, integration_id=greedy)
    monkeypatch.setattr(queue, "HARD_MAX_WAITING_BYTES", 100_000)
    monkeypatch.setattr(queue, "MAX_WAITING_BYTES", 50_000)
    long = {"revisionId": "é" * 10_000}  # two bytes each
    with databases.opened(tmp_path) as store:
        for _ in range(8):
            with store.transaction(writes=True) as session:
                outbox.emit(session, "space_content_updated", both[:1], long, space_id="s")
                outbox.emit_change(session, "installation_setup", installation, {"previous": long})
        assert _count(store, greedy) == 4
        with store.transaction(writes=True) as session:
            assert len(outbox.emit(session, "space_content_updated", both, long, space_id="s")[0]) == 1
            assert outbox.emit(session, "site_view", both, {"visitor": long}, site_id="s")[0] != []
        with store.transaction(writes=False) as session:
            assert queue.standing(session, other)[0] == 2
            count, size = queue.standing(session, greedy)
            assert count == 4 and 80_000 < size <= 100_000


@pytest.mark.parametrize("text", ["é\U0001f600", "half \ud83d of a character"])
def test_what_waits_is_read_as_it_was_written(tmp_path: Path, text: str) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path) as store:
        with store.transaction(writes=True) as session:
            outbox.add(session, [outbox.task_row(new_id(), {"text": text}, 0)])
        with store.transaction(writes=False) as session:
            (row,) = session.scalars(select(EventRow))
            assert json.loads(row.payload)["task"] == {"text": text}
            assert row.size == len(row.payload.encode())


def _ended(integration_id: str, state: str, size: int) -> dict[str, Any]:
    return _waiting(integration_id) | {"state": state, "payload": "x" * (size // 2), "trace": "y" * (size - size // 2)}


def test_the_bytes_of_what_is_over_are_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    greedy, other = new_id(), new_id()
    monkeypatch.setattr(queue, "KEPT_BYTES", 100_000)
    keep, wide = 1000, 10_000
    retention = Retention(keep)
    with databases.opened(tmp_path) as store:
        for _ in range(60):
            for integration, size in ((greedy, wide), (other, 100)):
                with store.transaction(writes=True) as session:
                    rows = [_ended(integration, state, size) for state in ("delivered", "given-up")]
                    queue.add(session, rows)
                    retention.ended(session, ((integration, size) for _ in rows))
        # Of each state the newest ones, and what came since they were last looked through.
        assert 2 * queue.KEPT_ANYWAY <= _count(store, greedy) <= 2 * queue.KEPT_ANYWAY + 100_000 // wide
        assert _count(store, other) == 120


def test_a_deletion_waits_for_what_was_held_back(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    one, other = (InstallationRow(id=new_id(), integration_id=new_id()) for _ in range(2))
    with databases.opened(tmp_path) as store:
        with store.transaction(writes=True) as session:
            for installation in (one, other):
                for number in range(outbox.MAX_CHANGES + 2):
                    outbox.emit_change(session, "installation_setup", installation, {"number": number})
            outbox.emit_deletion(session, "installation_deleted", one, {})
        with store.transaction(writes=True) as session:
            got = claims.claim(session, "me", limit=100, lease=60.0)
        kinds = [event.type for event in got if event.installation_id == one.id]
        assert kinds == ["installation_setup"] * (outbox.MAX_CHANGES + 2) + ["installation_deleted"]
        assert len([event for event in got if event.installation_id == other.id]) == outbox.MAX_CHANGES


def test_what_is_rolled_back_counts_for_nothing(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    integration, retention = new_id(), Retention(2)
    ended = {"state": "delivered", "attempts": 1, "size": 2}
    with databases.opened(tmp_path) as store:
        with store.transaction(writes=True) as session:
            queue.add(session, [_waiting(integration) | ended for _ in range(9)])
        for _ in range(2):
            with pytest.raises(RuntimeError, match="no room"), store.transaction(writes=True) as session:
                retention.ended(session, [(integration, 2)])
                raise RuntimeError("no room")
            assert _count(store, integration) == 9
        with store.transaction(writes=True) as session:
            count = retention.ended(session, [(integration, 2)])
        count()
        assert _count(store, integration) == 2
