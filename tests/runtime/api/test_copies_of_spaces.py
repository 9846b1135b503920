"""Copies of large spaces: one of an organization at a time, since others wait with what they write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import Client

from runtime.api.request_capacity import COPIES_WAITING
from runtime.app import Application, create_app
from runtime.settings import Settings
from runtime.store import secrets
from runtime.store.content import sizes
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


def test_large_spaces_are_copied_in_turns_and_small_ones_at_once(served: tuple[Application, Large]) -> None:
    app, made = served
    headers = {"Authorization": f"Bearer {made.admin}"}
    answers: list[int] = []

    def copy() -> None:
        answers.append(Client(app).post(f"/v1/spaces/{made.space}/duplicate", headers=headers).status_code)

    turn = app.host.capacity.copies.turn
    with turn(made.organization):
        copy()
    assert answers == [201]
    with app.host.database.transaction(writes=True) as session:
        sizes.note(session, made.space, 5 << 20)
    waits = [threading.Thread(target=copy) for _ in range(COPIES_WAITING)]
    with turn(made.organization):
        for one in waits:
            one.start()
        waits[0].join(0.5)
        assert answers == [201]
        copy()
        assert answers == [201, 503]
    for one in waits:
        one.join(30)
    assert answers == [201, 503, *[201] * COPIES_WAITING]


def test_whoever_lost_their_rights_while_they_waited_copies_nothing(served: tuple[Application, Large]) -> None:
    app, made = served
    headers = {"Authorization": f"Bearer {made.admin}"}
    space = f"/v1/spaces/{made.space}"
    with app.host.database.transaction(writes=True) as session:
        sizes.note(session, made.space, 5 << 20)
    answers: list[int] = []
    waits = threading.Thread(
        target=lambda: answers.append(Client(app).post(f"{space}/duplicate", headers=headers).status_code)
    )
    with app.host.capacity.copies.turn(made.organization):
        waits.start()
        waits.join(0.5)
        assert Client(app).delete(space, headers=headers).status_code in (204, 205)
    waits.join(30)
    assert answers == [404]
