"""Locks by name, for decisions that depend on existing rows: others that lock the same name wait.

A name is held until the transaction ends. SQLite has one writer at a time anyway.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session


def acquire(session: Session, *names: str) -> None:
    """Lock names, in a fixed order to avoid deadlocks; rows that were read before may be outdated."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for name in sorted(set(names)):
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
