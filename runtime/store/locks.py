"""Locks by name, for decisions that depend on existing rows: others that lock the same name wait.

A name is held until the transaction ends. SQLite has one writer at a time anyway.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import InvalidRequestError
from sqlalchemy.orm import Session

from runtime.contract import errors

GONE = "Somebody has just deleted this, or something it belongs to."


def acquire(session: Session, *names: str) -> None:
    """Lock names, in a fixed order to avoid deadlocks; rows that were read before may be outdated."""
    if not others_write(session):
        return
    for name in sorted(set(names)):
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})


def refresh(session: Session, *rows: Any) -> None:
    """Read rows anew that a writing session read before it held its lock.

    SQLite's only writer has them as they stand: its transaction began before it read anything. Raises NotFound for a
    row that is gone.
    """
    if others_write(session):
        for row in rows:
            read_anew(session, row)


def read_anew(session: Session, row: Any, **how: Any) -> None:
    """Read a row anew, and lock it as `session.refresh` is told to; raises NotFound for one that is gone."""
    try:
        session.refresh(row, **how)
    except InvalidRequestError:
        raise errors.NotFound(GONE, on_pages=GONE) from None


def others_write(session: Session) -> bool:
    """Return whether other sessions may write while this one does: SQLite has one writer at a time."""
    return session.get_bind().dialect.name == "postgresql"
