"""Writes what all migrations make of an empty SQLite database: `python -m runtime.store.new_database`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from runtime.store.database import Database
from runtime.store.migrate import HEAD, NEW_SQLITE, upgrade


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


def comparable(statements: str) -> list[str]:
    """Return the statements in a form to compare: the order of constraints and indexes varies between runs."""
    return sorted(
        "\n".join(sorted(line.strip().rstrip(",") for line in statement.splitlines()))
        for statement in statements.split(";\n")
    )


if __name__ == "__main__":
    made = from_migrations()
    if comparable(made) != comparable(NEW_SQLITE.read_text(encoding="utf-8")):
        NEW_SQLITE.write_text(made, encoding="utf-8")
