"""A stream of events reads for its organization, and holds few events at once, which may be long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from sqlalchemy import event

from runtime.api.event_stream import AT_ONCE
from runtime.app import Application, create_app
from runtime.contract.identifiers import new_id
from runtime.engines.interpreter_turns import owner_at_work
from runtime.settings import Settings
from runtime.store import secrets
from runtime.store.database import now
from runtime.store.tables.events import EventRow
from runtime.store.tables.integrations import IntegrationRow
from tests import databases
from tests.large_organization import Large, Size, fill

MANY = 60
SIZE = Size(members=3, teams=1, collections=1, spaces=1, sites=1, sections=1)
MANIFEST = {"scopes": [], "blocks": [], "icon": False, "previewImages": 0, "runtime": "python"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Large]]:
    data: Path = tmp_path_factory.mktemp("stream")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as database:
        made = fill(database, SIZE)
        row = IntegrationRow(
            name="loud",
            organization_id=made.organization,
            version_id=new_id(),
            version=1,
            visibility="private",
            target="all",
            title="Loud",
            manifest=MANIFEST,
        )
        with database.transaction(writes=True) as session:
            session.add(row)
            session.flush()
            session.add_all(ended(row.id, number) for number in range(MANY))
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app, made
    app.close()


def ended(integration_id: str, number: int) -> EventRow:
    name = f"event{number:015}"
    line = {"at": float(number), "level": "warn", "message": f"line {number}"}
    return EventRow(
        id=name,
        integration_id=integration_id,
        lane=name,
        type="task",
        payload=json.dumps({"eventId": name, "type": "task", "task": {}}),
        state="delivered",
        attempts=1,
        due_at=float(number),
        created_at=now(),
        ended_at=float(number + 1),
        trace=json.dumps({"logs": [line]}),
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("last=50", range(10, 60)),
        ("last=3&text=line+1", (17, 18, 19)),
        ("last=40&level=warn", range(20, 60)),
        ("last=5&level=error", ()),
        ("last=2&event=event000000000000059", (59,)),
    ],
)
def test_past_events_are_read_a_few_at_a_time(query: str, expected: Any, served: tuple[Application, Large]) -> None:
    app, made = served
    alive: WeakSet[EventRow] = WeakSet()
    most, homeless = 0, []

    def loaded(row: EventRow, _context: Any) -> None:
        nonlocal most
        alive.add(row)
        most = max(most, len(alive))

    def asked(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM events" in statement and owner_at_work() is None:
            homeless.append(statement)

    event.listen(EventRow, "load", loaded)
    event.listen(app.host.database.engine, "before_cursor_execute", asked)
    try:
        path = f"/v1/integrations/loud/events/stream?follow=false&{query}"
        answer = app.flask.test_client().get(path, headers={"Authorization": f"Bearer {made.admin}"})
        told = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    finally:
        event.remove(app.host.database.engine, "before_cursor_execute", asked)
        event.remove(EventRow, "load", loaded)
    assert [json.loads(line)["event"]["id"] for line in told] == [f"event{number:015}" for number in expected]
    assert 0 < most <= 2 * AT_ONCE
    assert not [one for one in homeless if "trace" in one or "ended_at" in one]
