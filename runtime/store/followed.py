"""Followed integrations, for the other processes that serve from the same database.

A row is a lease of the process that holds the reader's stream. The rows decide over nothing but what is written down of
calls, so the epoch stands still.
"""

from __future__ import annotations

import time

from sqlalchemy import Column, Float, MetaData, String, Table, delete, insert, select, update
from sqlalchemy.orm import Session

metadata = MetaData()
follows = Table(
    "follows",
    metadata,
    Column("process", String(20), primary_key=True),
    Column("integration_id", String(20), primary_key=True),
    Column("until", Float, nullable=False),
)


def follow(session: Session, process: str, integration_id: str, until: float) -> None:
    """Note that a process has a reader of an integration, until a time in seconds since the epoch."""
    own = (follows.c.process == process, follows.c.integration_id == integration_id)
    session.execute(delete(follows).where(*own))
    session.execute(insert(follows).values(process=process, integration_id=integration_id, until=until))


def renew(session: Session, process: str, integration_ids: set[str], until: float) -> None:
    """Keep the leases of these integrations, and forget every lease that ran out."""
    own = (follows.c.process == process, follows.c.integration_id.in_(integration_ids))
    session.execute(update(follows).where(*own).values(until=until))
    session.execute(delete(follows).where(follows.c.until < time.time()))


def followed(session: Session) -> frozenset[str]:
    """Return the ids of all integrations that some process has a reader of."""
    return frozenset(session.scalars(select(follows.c.integration_id).where(follows.c.until >= time.time())))
