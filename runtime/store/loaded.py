"""Rows that a session holds already, for reads that need not ask the database again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import inspect
from sqlalchemy.orm import Session
from sqlalchemy.orm.util import identity_key

R = TypeVar("R")


def loaded(session: Session, table: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Return those rows of a table with these ids that a session holds, by id; without those that it deletes."""
    known = session.identity_map
    found: dict[str, R] = {}
    for id_ in ids:
        row = known.get(identity_key(table, id_))
        if row is not None and not inspect(row).expired and row not in session.deleted:
            found[id_] = row
    return found
