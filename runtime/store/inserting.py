"""Insertions with `ON CONFLICT`, which SQLAlchemy has separately for each database."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session


def insert_into(on: Session | Connection, table: Any) -> postgresql.Insert:
    """Begin an insertion into a table, which goes on with `on_conflict_do_nothing` or `on_conflict_do_update`."""
    dialect = on.dialect if isinstance(on, Connection) else on.get_bind().dialect
    # SQLite's has the same methods.
    return postgresql.insert(table) if dialect.name == "postgresql" else cast(postgresql.Insert, sqlite.insert(table))
