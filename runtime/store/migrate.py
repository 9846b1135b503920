"""Migrates a database to the schema of this release."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from runtime.store.database import Database

MIGRATIONS = Path(__file__).parent / "migrations"
VERSIONS = MIGRATIONS / "versions"
HEAD = max(file.name[:4] for file in VERSIONS.glob("[0-9]*.py"))
"""The newest revision: files begin with their revision, since reading them all would take most of a start."""
NEW_SQLITE = MIGRATIONS / "new_sqlite.sql"
"""The schema after all migrations, for a new SQLite database; `make schema` writes it. Running it takes a tenth of the
time that the migrations take, which is a good part of the first start in a folder."""
LOCK = 7_401_883_120


class NewerDatabase(RuntimeError):
    """A database was brought to the schema of a newer release, which this one cannot know."""


def migrate(database: Database) -> None:
    """Run the migrations that are missing; several processes may start at once. Raises `NewerDatabase`."""
    if _known_revision(database) == HEAD:
        return
    with _alone(database):
        found = _known_revision(database)
        if found == HEAD:
            return
        with database.engine.connect() as connection:
            writing = connection.execution_options(writes=True)
            if database.is_sqlite and not inspect(connection).get_table_names():
                _create(writing)
            else:
                upgrade(writing, HEAD)
            connection.commit()


def _known_revision(database: Database) -> str | None:
    found = revision(database)
    if found is not None and found > HEAD:
        raise NewerDatabase(
            f"the database has the schema {found} of a newer release, and this one knows {HEAD} and those before it; "
            "run that release, or restore a backup that was made before the upgrade with `devkit restore`"
        )
    return found


def revision(database: Database) -> str | None:
    """Return the schema revision of a database, None if it has none of ours."""
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    if database.is_sqlite:
        file = Path(make_url(database.url).database or "").with_suffix(".migrating")
        with file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    else:
        with database.engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
            connection.commit()  # the lock stays; a transaction that does nothing would be ended after a while
            try:
                yield
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})


def _create(connection: Connection) -> None:
    """Make an empty SQLite database one of this release, in a transaction: all of it, or nothing."""
    opened = connection.connection.driver_connection
    assert opened is not None
    statements = NEW_SQLITE.read_text(encoding="utf-8")
    try:
        opened.executescript(statements)
    except sqlite3.Error as error:
        opened.rollback()
        raise OperationalError(NEW_SQLITE.name, None, error) from error


def upgrade(connection: Connection, to: str) -> None:
    """Run the migrations up to one, in the transaction of the connection."""
    # Alembic is imported only where there is something to do: it would cost every start time and memory.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, to)
