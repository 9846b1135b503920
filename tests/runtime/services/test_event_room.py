"""What may wait for all integrations of an organization, and that one organization does not count for another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.dispatch import outbox
from runtime.services import event_room
from runtime.store import queue, secrets
from runtime.store.database import Database
from runtime.store.tables.events import EventRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from tests import databases

TASK = {"text": "x" * 100_000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path) as opened:
        yield opened


def _integrations(store: Database, count: int) -> list[IntegrationRow]:
    with store.transaction(writes=True) as session:
        owner = OrganizationRow(title="O", hostname=new_id().lower())
        session.add(owner)
        session.flush()
        made = [_integration(owner.id) for _ in range(count)]
        session.add_all(made)
        session.flush()
        session.expunge_all()
    return made


def _integration(owner_id: str) -> IntegrationRow:
    name = new_id().lower()
    same = {"version_id": new_id(), "version": 1, "visibility": "private", "target": "all", "manifest": {}}
    return IntegrationRow(name=name, organization_id=owner_id, title=name, **same)


def _queue(store: Database, integration: IntegrationRow) -> bool:
    with store.transaction(writes=True) as session:
        row = outbox.task_row(integration.id, TASK, 3600)
        try:
            event_room.enforce(session, integration, 1, row["size"])
        except errors.TooManyRequests:
            return False
        outbox.add(session, [row])
    return True


def test_what_waits_for_all_integrations_of_an_organization_is_bounded(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_room, "MAX_OF_ORGANIZATION", 5_000_000)
    monkeypatch.setattr(event_room, "REMEMBERED", 0.0)
    mine, (other,) = _integrations(store, 4), _integrations(store, 1)
    taken = [sum(_queue(store, one) for _ in range(30)) for one in mine]
    assert taken[0] == 30 and sum(taken) < 80, "a little of each integration is always taken"
    assert min(taken) == event_room.SMALL // (100_000 + queue.ROW)
    assert sum(_queue(store, other) for _ in range(30)) == 30


def test_a_sum_is_used_again(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_room, "MAX_OF_ORGANIZATION", 5_000_000)
    (mine,) = _integrations(store, 1)
    assert sum(_queue(store, mine) for _ in range(60)) == 5_000_000 // (100_000 + queue.ROW)
    with store.transaction(writes=True) as session:
        queue.forget(session, EventRow.integration_id == mine.id, EventRow.seq > 20)
    assert not _queue(store, mine), "for some seconds, what ended is not seen"
    monkeypatch.setattr(event_room, "REMEMBERED", 0.0)
    assert _queue(store, mine)


def test_one_integration_is_bounded_by_itself(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MAX_WAITING_BYTES", 1_000_000)
    (mine,) = _integrations(store, 1)
    assert sum(_queue(store, mine) for _ in range(20)) == 9
