"""Serializers show many rows with as many questions as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from runtime.api.resource import Resource
from runtime.api.table import RESOURCES
from runtime.contract.addresses import Addresses
from runtime.serializers.installations import organization_installations, statuses
from runtime.serializers.teams import teams_of_member
from runtime.serializers.view import View
from runtime.store import migrate, rows, secrets
from runtime.store.database import Database, Table
from runtime.store.reach import HOST, Reach
from runtime.store.tables.installations import InstallationRow, SpaceInstallationRow
from runtime.store.tables.teams import TeamMemberRow
from tests.runtime.store.conftest import ORDER, made, named

AT = Addresses("https://docs.example", "https://docs.example")
ADMIN = Reach(
    "user",
    user_id=named("users", "0"),
    roles=frozenset((named("organizations", str(number)), "admin") for number in range(6)),
)
SHOWN = [(resource.row, resource.serialize) for resource in RESOURCES if resource.name != "event"]
SHOWN += [(InstallationRow, organization_installations), (SpaceInstallationRow, statuses)]
SHOWN += [(TeamMemberRow, teams_of_member)]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("many")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    with opened.transaction(writes=True) as session:
        for number in range(6):
            for table in ORDER:
                session.add(made(table, str(number), full=False))
                session.flush()
    yield opened
    opened.close()


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize(("table", "serialize"), SHOWN, ids=lambda value: getattr(value, "__name__", str(value)))
def test_six_rows_take_as_many_queries_as_one(
    table: type[Table], serialize: Any, extended: bool, database: Database
) -> None:
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    counts = []
    for many in (1, 6):
        with database.transaction(writes=False) as session:
            several = rows.every(session, HOST, table)[:many]
            assert len(several) == many, "`made` of tests/runtime/store/conftest.py makes a row of every table"
            session.expunge_all()
            event.listen(database.engine, "before_cursor_execute", note)
            try:
                shown = serialize(View(session, AT, ADMIN, extended=extended), several)
            finally:
                event.remove(database.engine, "before_cursor_execute", note)
        assert len(shown) == many
        counts.append(len(asked))
        asked.clear()
    assert counts[0] == counts[1] <= 12, counts


def test_every_resource_is_shown_here() -> None:
    assert {resource.row for resource in RESOURCES if isinstance(resource, Resource)} - {
        table for table, _ in SHOWN
    } == {next(resource.row for resource in RESOURCES if resource.name == "event")}
