"""Copies of spaces: one of an organization at a time, since others wait with what they write."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from werkzeug.test import Client

from runtime.api.request_capacity import COPIES_WAITING, SLOW_SECONDS
from runtime.app import Application, create_app
from runtime.settings import Settings
from runtime.store import secrets
from runtime.store.tables.organizations import MemberRow
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=2, sites=1, sections=1)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Application, Large]]:
    """A host whose only space with content is a new one."""
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path, "sqlite") as database:
        made = fill(database, SIZE)
    app = create_app(Settings(data=str(tmp_path), sandbox="off"))
    headers = {"Authorization": f"Bearer {made.admin}"}
    added = Client(app).post(f"/v1/orgs/{made.organization}/spaces", json={"title": "One"}, headers=headers)
    made = replace(made, space=added.json["id"])
    yield app, made
    app.close()


def wait_for_waiting(app: Application, organization: str, many: int) -> None:
    until = time.monotonic() + 30
    while app.host.capacity.copies._queued.get(organization, 0) < many:
        assert time.monotonic() < until, "not all of them wait"
        time.sleep(0.01)


def test_spaces_are_copied_in_turns(served: tuple[Application, Large]) -> None:
    app, made = served
    answers: list[int] = []

    def copy(token: str = made.admin) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        answers.append(Client(app).post(f"/v1/spaces/{made.space}/duplicate", headers=headers).status_code)

    turn = app.host.capacity.copies.turn
    copy()
    assert answers == [201]
    waits = [threading.Thread(target=copy) for _ in range(COPIES_WAITING)]
    with turn(made.organization):
        copy(made.member)  # who may not copy it takes nobody's place
        assert answers == [201, 403]
        for one in waits:
            one.start()
        wait_for_waiting(app, made.organization, COPIES_WAITING)
        copy()
        assert answers == [201, 403, 503]
    for one in waits:
        one.join(30)
    assert answers == [201, 403, 503, *[201] * COPIES_WAITING]


def test_whoever_lost_their_rights_while_they_waited_copies_nothing(served: tuple[Application, Large]) -> None:
    app, made = served
    headers = {"Authorization": f"Bearer {made.admin}"}
    space = f"/v1/spaces/{made.space}"
    with app.host.database.transaction(writes=True) as session:
        administrator = session.scalars(
            select(MemberRow).where(MemberRow.organization_id == made.organization, MemberRow.role == "admin")
        ).one()
    answers: list[int] = []
    waits = threading.Thread(
        target=lambda: answers.append(Client(app).post(f"{space}/duplicate", headers=headers).status_code)
    )
    with app.host.capacity.copies.turn(made.organization):
        waits.start()
        wait_for_waiting(app, made.organization, 1)
        with app.host.database.transaction(writes=True) as session:
            session.get_one(MemberRow, (administrator.organization_id, administrator.user_id)).role = "edit"
        time.sleep(2 * SLOW_SECONDS)  # who waits for less is not asked again
    waits.join(30)
    assert answers == [403]
