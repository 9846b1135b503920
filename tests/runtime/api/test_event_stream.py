"""A stream of events reads for its organization, and holds few events at once, which may be long."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from sqlalchemy import delete, event, select

from runtime.api.event_stream import AT_ONCE
from runtime.api.server_sent_events import CONNECTED
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
        loud, fresh = (integration(name, made.organization) for name in ("loud", "fresh"))
        with database.transaction(writes=True) as session:
            session.add_all([loud, fresh])
            session.flush()
            session.add_all(ended(loud.id, number) for number in range(MANY))
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app, made
    app.close()


def integration(name: str, organization: str) -> IntegrationRow:
    return IntegrationRow(
        name=name,
        organization_id=organization,
        version_id=new_id(),
        version=1,
        visibility="private",
        target="all",
        title=name.title(),
        manifest=MANIFEST,
    )


def ended(integration_id: str, number: int, at: float | None = None) -> EventRow:
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
        ended_at=float(number + 1) if at is None else at,
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
    reader = threading.current_thread()  # threads of the host that look after events read for nobody

    def loaded(row: EventRow, _context: Any) -> None:
        nonlocal most
        alive.add(row)
        most = max(most, len(alive))

    def asked(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM events" in statement and threading.current_thread() is reader and owner_at_work() is None:
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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("last=0", (110, 111)),
        ("last=3", (18, 19, 110, 111)),
        ("last=2&text=1", (19, 110, 111)),
        ("last=1&level=warn", (110, 111)),
    ],
)
def test_what_ended_just_before_a_stream_began_is_told_only_among_the_last_ones(
    query: str, expected: Any, served: tuple[Application, Large]
) -> None:
    app, made = served
    with app.host.database.transaction(writes=True) as session:
        (followed,) = session.scalars(select(IntegrationRow.id).where(IntegrationRow.name == "fresh"))
        session.execute(delete(EventRow).where(EventRow.integration_id == followed))
        before = time.time() - 1
        session.add_all(ended(followed, number, before + number / 10_000) for number in range(2000, 2020))
    path = f"/v1/integrations/fresh/events/stream?{query}"
    answer = app.flask.test_client().get(path, headers={"Authorization": f"Bearer {made.admin}"}, buffered=False)
    lines = answer.iter_encoded()
    assert next(lines) == CONNECTED
    told: list[int] = []
    for number in (2110, 2111):  # the first one ends before the last ones are read, and is one of them
        with app.host.database.transaction(writes=True) as session:
            session.add(ended(followed, number, time.time()))
        while number not in told:
            _, _, data = next(lines).partition(b"data: ")
            told += [int(json.loads(data)["event"]["id"].removeprefix("event"))] if data else []
    answer.close()
    assert told == [2000 + number for number in expected]
