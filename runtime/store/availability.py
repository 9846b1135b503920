"""Tells a database that cannot work for now from what only a bug causes."""

from __future__ import annotations

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as NoConnection

from runtime.store.database_file import DatabaseGone


def is_away(error: Exception) -> bool:
    """Return whether the database is away, or refuses something that it may do when it is asked again."""
    if isinstance(error, DBAPIError) and not error.connection_invalidated:
        return not isinstance(error, (DataError, IntegrityError, ProgrammingError))
    return isinstance(error, (DBAPIError, DatabaseGone, NoConnection))
