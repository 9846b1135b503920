"""Databases of both kinds, and two organizations in them with a row of every table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest
from sqlalchemy import Table as SqlTable
from sqlalchemy import inspect

from runtime.contract.identifiers import new_id
from runtime.store import epochs, migrate, schema, secrets
from runtime.store.database import Database, Table, now

SERVER = os.environ.get("DEVKIT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
KINDS = ("sqlite", "postgresql")
SIDES = ("here", "there")


@pytest.fixture(scope="module", params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an empty database: a file, and one on a server where one is reachable."""
    folder: Path = tmp_path_factory.mktemp("store")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    if request.param == "sqlite":
        yield f"sqlite:///{folder / 'host.sqlite'}"
        return
    name = f"devkit_test_{new_id().lower()}"
    try:
        with psycopg.connect(f"{SERVER}/postgres", autocommit=True, connect_timeout=3) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL at 127.0.0.1:5432; set DEVKIT_TEST_POSTGRES to the address of one")
    yield f"{SERVER}/{name}"
    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


class World:
    """A database with two organizations, `here` and `there`; the id of a row begins with its table's letters."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def fill(self) -> None:
        """Put a row of every table into both organizations."""
        with self.database.transaction(writes=True) as session:
            for side in SIDES:
                for table in ORDER:
                    session.add(made(table, side))
                    session.flush()

    def empty(self) -> None:
        """Take everything out again."""
        with self.database.engine.begin() as connection:
            for table in reversed(Table.metadata.sorted_tables):
                connection.execute(table.delete())

    def epochs(self) -> dict[str, int]:
        """Read every epoch."""
        with self.database.engine.connect() as connection:
            return dict(connection.execute(epochs.counters.select()).all())

    def moved(self, work: Callable[[], Any]) -> set[str]:
        """Tell whose epochs something moves, each by one."""
        before = self.epochs()
        work()
        steps = {owner: n - before.get(owner, 0) for owner, n in self.epochs().items()}
        assert set(steps.values()) <= {0, 1}
        return {owner for owner, step in steps.items() if step}


@pytest.fixture(scope="module")
def database(address: str) -> Iterator[Database]:
    opened = Database(address)
    migrate.migrate(opened)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> Iterator[World]:
    here = World(database)
    here.fill()
    yield here
    here.empty()


@pytest.fixture
def beside(address: str) -> Iterator[Callable[..., Database]]:
    """Open the database once more, as another process would."""
    with ExitStack() as stack:

        def opened(**options: Any) -> Database:
            another = Database(address, **options)
            stack.callback(another.close)
            return another

        yield opened


CHILDREN_LAST = Table.metadata.sorted_tables
ORDER = sorted(
    schema.TABLES,
    # Of whose an external id is the database does not know.
    key=lambda table: (table.__tablename__ == "external_ids", CHILDREN_LAST.index(cast(SqlTable, table.__table__))),
)
MANIFEST = {
    "description": "",
    "previewImages": 0,
    "scopes": [],
    "categories": [],
    "externalLinks": [],
    "icon": False,
    "runtime": "python",
}
FIXED: dict[str, dict[str, Any]] = {
    "external_ids": {"owner_id": "space_installations-{side}"},
    "events": {"payload": "{}", "integration_id": "integrations-{side}"},
    "integrations": {"manifest": MANIFEST, "visibility": "private", "target": "all"},
    "integration_versions": {"runtime": "python"},
    "members": {"role": "read"},
    "change_request_reviews": {"status": "approved"},
    "invite_links": {"role": "read"},
    "grants": {"role": "read"},
    "team_members": {"role": "member"},
    "imports": {"source": "zip"},
    "installations": {"status": "active"},
    "space_installations": {"status": "active"},
    "site_installations": {"status": "active"},
    "collections": {"default_level": "inherit"},
    "spaces": {"default_level": "inherit"},
}
PARENTS = {
    "organization_id": "organizations",
    "integration_id": "integrations",
    "installation_id": "installations",
    "user_id": "users",
    "space_id": "spaces",
    "site_id": "sites",
    "team_id": "teams",
    "collection_id": "collections",
    "ancestor_id": "collections",
    "section_id": "site_sections",
    "site_section_id": "site_sections",
    "site_space_id": "site_spaces",
    "group_id": "site_section_groups",
    "site_installation_id": "site_installations",
    "version_id": "integration_versions",
}


def key(table: type[Table], side: str) -> str:
    """Give the id of a table's row in an organization, short enough for the column."""
    return named(table.__tablename__, side)


def named(table: str, side: str) -> str:
    """Give the id of the row of a table by its name."""
    return f"{table[:4]}{table[-8:]}-{side}"


def made(table: type[Table], side: str, *, full: bool = True) -> Table:
    """Make a row that is not deleted, with something in every column, or in those alone that must have it."""
    columns = inspect(table).columns
    values: dict[str, Any] = {}
    for column in columns:
        fixed = FIXED.get(table.__tablename__, {}).get(column.key)
        if isinstance(fixed, str) and "{side}" in fixed:
            values[column.key] = named(fixed.split("-")[0], side)
        elif fixed is not None:
            values[column.key] = fixed
        elif column.key in PARENTS:
            values[column.key] = named(PARENTS[column.key], side)
        elif column.foreign_keys and not (column.nullable and not full and is_of(column, table)):
            values[column.key] = named(next(iter(column.foreign_keys)).column.table.name, side)
        elif column.key == "id":
            values[column.key] = key(table, side)
        elif column.key in ("seq", "deleted_at"):
            continue
        elif full or not (column.nullable or column.default is not None):
            values[column.key] = some(column, side)
    return table(**values)


def is_of(column: Any, table: type[Table]) -> bool:
    """Tell whether a column names another row of its own table."""
    return any(key.column.table is table.__table__ for key in column.foreign_keys)


def some(column: Any, side: str) -> Any:
    """Give a value of a column's kind, which is another one for the other organization."""
    kind = type(column.type).__name__
    if kind == "String":
        return f"{column.key}-{side}"[: column.type.length]
    kinds: dict[str, Any] = {
        "Boolean": False,
        "Integer": len(side),
        "BigInteger": len(side),
        "Float": float(len(side)),
        "JSON": {"side": side},
        "ShortJson": {"side": side},
        "SealedJson": {"side": side},
        "SealedText": side,
        "Text": side,
        "LargeBinary": side.encode(),
        "UtcTime": now(),
    }
    return kinds[kind]
