"""Translates constraint violations of the database."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from sqlalchemy.exc import IntegrityError

from runtime.store.database import Table

REMOVED = "An object in this request was deleted concurrently; check what exists, and try again."
_NAMED = re.compile(r"UNIQUE constraint failed: (\w+)\.")


def sentence(error: IntegrityError) -> str | None:
    """Return the message for a duplicate or a missing reference; None for errors that only a bug can cause."""
    original = error.orig
    kind, table = _sqlite(original) if isinstance(original, sqlite3.Error) else _postgresql(original)
    if kind == "foreign key":
        return REMOVED
    if kind != "unique":
        return None
    classes = (mapper.class_ for mapper in Table.registry.mappers)
    return next((table_.taken for table_ in classes if table_.__tablename__ == table), Table.taken)


def _sqlite(original: sqlite3.Error) -> tuple[str | None, str | None]:
    if original.sqlite_errorname == "SQLITE_CONSTRAINT_FOREIGNKEY":
        return "foreign key", None
    named = _NAMED.match(str(original))
    return ("unique", named[1]) if named else (None, None)


def _postgresql(original: Any) -> tuple[str | None, str | None]:
    # By the codes of SQL: importing the driver would cost every host on SQLite.
    kinds = {"23503": "foreign key", "23505": "unique"}
    kind = kinds.get(getattr(original, "sqlstate", None) or "")
    return kind, original.diag.table_name if kind else None
