"""Searches of a site's readers: two of an organization at a time, from the first on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from runtime.app import Application, create_app
from runtime.settings import Settings
from runtime.store import rows, secrets
from runtime.store.rows import HOST
from runtime.store.tables.sites import SiteRow
from tests import databases
from tests.large_organization import Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=1, sites=1, sections=1)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Application, SiteRow]]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path, "sqlite") as database:
        fill(database, SIZE)
        with database.transaction(writes=True) as session:
            site = rows.every(session, HOST, SiteRow)[0]
            site.published, site.visibility = True, "public"
    app = create_app(Settings(data=str(tmp_path), sandbox="off"))
    yield app, site
    app.close()


def test_searches_take_turns_from_the_first_on(served: tuple[Application, SiteRow]) -> None:
    app, site = served
    home = app.host.addresses.site(site.id)
    answers: list[int] = []

    def search() -> None:
        answers.append(Client(app).get(f"/sites/{site.id}/-/search?q=word", home).status_code)

    search()
    assert answers == [200]
    turn, owner = app.host.capacity.pages.turn, site.organization_id
    waits = threading.Thread(target=search)
    with turn(owner, "one", long=True), turn(owner, "two", long=True):
        waits.start()
        waits.join(0.5)
        assert answers == [200]
    waits.join(30)
    assert answers == [200, 200]
