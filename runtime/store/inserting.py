"""Insertions that SQLAlchemy has separately for each database, or makes row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, cast

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

TOGETHER = (64, 8, 1)
"""Rows of a statement: few lengths, so that SQLite's driver keeps the statements, and far from its 32,766 values."""


def insert_into(on: Session | Connection, table: Any) -> postgresql.Insert:
    """Begin an insertion into a table, which goes on with `on_conflict_do_nothing` or `on_conflict_do_update`."""
    dialect = on.dialect if isinstance(on, Connection) else on.get_bind().dialect
    # SQLite's has the same methods.
    return postgresql.insert(table) if dialect.name == "postgresql" else cast(postgresql.Insert, sqlite.insert(table))


def insert_rows(connection: Connection, start: str, places: str, values: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows by a statement that is written already: its start, and the places for the values of one row."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql(f"{start} {places}", list(values))
        return
    # SQLite's driver lets other threads have the interpreter at each row, so that a busy host wrote five hundred in
    # half a second, for which all writers waited. A statement with many rows counts as one.
    place = 0
    for size in TOGETHER:
        statement = f"{start} {', '.join([places] * size)}"
        while len(values) - place >= size:
            connection.exec_driver_sql(statement, tuple(chain.from_iterable(values[place : place + size])))
            place += size
