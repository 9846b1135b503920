"""Writes what all migrations make of an empty SQLite database: `python -m runtime.store.new_database`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from runtime.store.database import Database
from runtime.store.migrate import HEAD, NEW, upgrade


def from_migrations() -> str:
    """Give the statements that make such a database, in one transaction."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'host.sqlite'}")
        try:
            with database.engine.connect() as connection:
                upgrade(connection.execution_options(writes=True), HEAD)
                connection.commit()
                opened = connection.connection.driver_connection
                assert opened is not None
                return "\n".join(opened.iterdump()) + "\n"
        finally:
            database.close()


def lines_of(statements: str) -> list[str]:
    """Give what is to be compared: migrations write constraints and indexes in another order each time."""
    return sorted(line.strip().rstrip(",") for line in statements.splitlines())


if __name__ == "__main__":
    made = from_migrations()
    if lines_of(made) != lines_of(NEW.read_text(encoding="utf-8")):
        NEW.write_text(made, encoding="utf-8")
