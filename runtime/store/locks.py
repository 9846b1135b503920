"""Locks by name, for who decides by what there is before it is changed: others who hold the same name wait.

A name is held until the transaction ends. SQLite has one writer at a time anyway.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session


def acquire(session: Session, *names: str) -> None:
    """Hold names, in one order, so that nobody waits in a circle; what was read before may be old."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for name in sorted(set(names)):
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
