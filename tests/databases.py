"""The databases tests run on: SQLite, and PostgreSQL where one answers.

Everything that starts a host runs on the one that `DEVKIT_TEST_DATABASE` names, `sqlite` where it names none; `make
test` goes through what is served over HTTP a second time with `postgresql`. The server is that of
`DEVKIT_TEST_POSTGRES`, else the one of this machine. Each data folder has a database of its own, which goes when the
tests end.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from runtime.contract.identifiers import new_id
from runtime.store import epochs, followed
from runtime.store.database import Database, Table
from runtime.store.migrate import migrate

CHOSEN = os.environ.get("DEVKIT_TEST_DATABASE", "sqlite")
SERVER = os.environ.get("DEVKIT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
MISSING = "there is no PostgreSQL at 127.0.0.1:5432; DEVKIT_TEST_POSTGRES may name another one"
BOTH = ("sqlite", "postgresql")
_made: dict[Path, str] = {}


def options_for(data: Path) -> list[str]:
    """Give the options with which commands use the database of a data folder."""
    return [] if CHOSEN == "sqlite" else ["--database-url", address_of(data)]


def address_of(data: Path, kind: str = CHOSEN) -> str:
    """Give the address of a data folder's database, which on PostgreSQL is made when it is first asked for."""
    if kind == "sqlite":
        return f"sqlite:///{data / 'host.sqlite'}"
    if data not in _made:
        _made[data] = _database(f"TEMPLATE {_template()}")
    return _made[data]


def ask(data: Path, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run a statement in the database of a data folder; `?` stands for a value."""
    if CHOSEN == "sqlite":
        with closing(sqlite3.connect(data / "host.sqlite", timeout=30)) as connection, connection:
            return connection.execute(statement, values).fetchall()
    with psycopg.connect(address_of(data), autocommit=True) as connection:
        cursor = connection.execute(statement.replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description else []


def everything_in(data: Path) -> bytes:
    """Read all that the database of a data folder keeps, as whoever steals it would."""
    if CHOSEN == "sqlite":
        return b"".join(file.read_bytes() for file in data.glob("host.sqlite*"))
    kept: list[bytes] = []
    with psycopg.connect(address_of(data)) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            rows = connection.cursor(binary=True).execute(f"SELECT * FROM {table}".encode())  # bytes as they are
            kept += [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    return b"\n".join(kept)


@contextmanager
def opened(data: Path, kind: str = CHOSEN) -> Iterator[Database]:
    """Open the database of a data folder as the host does, with its schema."""
    database = Database(address_of(data, kind))
    try:
        migrate(database)
        yield database
    finally:
        database.close()


def differences(connection: Connection) -> list[Any]:
    """Tell what the schema of a database has that the tables do not say, and the other way around.

    What deleting does to a reference that came with its column, SQLAlchemy does not read from SQLite.
    """
    found: list[Any] = compare_metadata(
        MigrationContext.configure(connection),
        [Table.metadata, epochs.metadata, followed.metadata],  # type: ignore[arg-type]
    )
    added_with_column = ("spaces", ["collection_id"])
    return [
        one
        for one in found
        if connection.dialect.name != "sqlite"
        or one[0] not in ("add_fk", "remove_fk")
        or (one[1].table.name, one[1].column_keys) != added_with_column
    ]


def empty(kind: str, data: Path) -> str:
    """Give the address of a new database without a schema."""
    return address_of(data, kind) if kind == "sqlite" else _database("")


def _database(more: str) -> str:
    _require()
    name = f"devkit_test_{new_id().lower()}"
    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {more}".encode())
    atexit.register(_drop, name)
    return f"{SERVER}/{name}"


@cache
def _template() -> str:
    """Make a database with the schema, whose copies cost a tenth of migrating each anew."""
    address = _database("")
    with closing(Database(address)) as database:
        migrate(database)
    return address.rpartition("/")[2]


def _drop(name: str) -> None:
    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def _require() -> None:
    if not _answers():
        pytest.skip(MISSING)


@cache
def _answers() -> bool:
    try:
        psycopg.connect(f"{SERVER}/postgres", connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True
