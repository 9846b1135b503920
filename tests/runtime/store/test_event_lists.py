"""What the database calls the ending of an event is what everybody else calls it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

import pytest
from sqlalchemy import select

from runtime.contract.event_descriptions import ENDINGS, ending
from runtime.contract.identifiers import new_id
from runtime.store import event_lists, migrate, queue
from runtime.store.database import Database
from runtime.store.tables.events import EventRow

STATES = ("pending", "claimed", "delivered", "failed", "given-up")
ANSWERS = (None, 200, 302, 400, 401, 403, 404, 405, 406, 408, 410, 418, 429, 499, 500, 502, 503, 504, 599)


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = Database(address)
    migrate.migrate(opened)
    yield opened
    opened.close()


def test_each_event_is_found_by_its_ending_and_by_no_other(database: Database) -> None:
    name, kinds = new_id(), ("task", "fetch")
    fixed = {"integration_id": name, "lane": name, "payload": "{}", "attempts": 1, "due_at": 0.0}
    fixed |= {"created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    every = {new_id(): case for case in product(kinds, STATES, ANSWERS)}
    with database.transaction(writes=True) as session:
        queue.add(
            session,
            [
                fixed | {"id": id_, "type": kind, "state": state, "answer": answer}
                for id_, (kind, state, answer) in every.items()
            ],
        )
    with database.transaction(writes=False) as session:
        for wanted in ENDINGS:
            query = select(EventRow.id).where(EventRow.integration_id == name, event_lists.ended_as(wanted))
            found = {every[id_] for id_ in session.scalars(query)}
            assert found == {case for case in every.values() if ending(*case) == wanted}, wanted
