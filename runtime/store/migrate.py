"""Brings a database to the schema of this release."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import make_url

from runtime.store.database import Database

VERSIONS = Path(__file__).parent / "migrations" / "versions"
HEAD = max(file.name[:4] for file in VERSIONS.glob("[0-9]*.py"))
"""The newest revision: files begin with their revision, since reading them all would take most of a start."""
LOCK = 7_401_883_120


def migrate(database: Database) -> None:
    """Run the migrations that are missing; several processes may start at once."""
    if _revision(database) == HEAD:
        return
    with _alone(database):
        if _revision(database) != HEAD:
            _upgrade(database)


def _revision(database: Database) -> str | None:
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


def _upgrade(database: Database) -> None:
    # Alembic is imported only where there is something to do: it would cost every start time and memory.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with database.engine.connect() as connection:
        writing: Connection = connection.execution_options(writes=True)
        config.attributes["connection"] = writing
        command.upgrade(config, "head")
        writing.commit()
