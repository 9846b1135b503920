"""A counter that moves whenever a row that decides over access or dispatch changes.

What is derived from such rows (who a token is, what a script sees) may be kept in memory as long as the counter stands
still: one cheap read in place of a dozen. The counter moves in the transaction of the change, so no change is missed.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Connection, Integer, MetaData, Table, event, select, update
from sqlalchemy.orm import ORMExecuteState, Session, sessionmaker

V = TypeVar("V")
metadata = MetaData()
counter = Table("epoch", metadata, Column("id", Integer, primary_key=True), Column("n", Integer, nullable=False))
QUERY = "SELECT n FROM epoch"


def current(connection: Connection) -> int:
    """Read the counter."""
    return int(connection.execute(select(counter.c.n)).scalar_one())


def watch(sessions: sessionmaker[Session]) -> None:
    """Move the counter in every transaction of these sessions that changes a table with `decides = True`."""
    event.listen(sessions, "before_flush", _on_flush)
    event.listen(sessions, "do_orm_execute", _on_execute)
    event.listen(sessions, "after_transaction_end", _on_end)


def _on_flush(session: Session, _context: Any, _instances: Any) -> None:
    changed = (*session.new, *session.deleted, *(row for row in session.dirty if session.is_modified(row)))
    if any(getattr(row, "decides", False) for row in changed):
        _move(session)


def _on_execute(state: ORMExecuteState) -> None:
    changes = state.is_insert or state.is_update or state.is_delete
    if changes and any(getattr(mapper.class_, "decides", False) for mapper in state.all_mappers):
        _move(state.session)


def _on_end(session: Session, transaction: Any) -> None:
    if transaction.parent is None:
        session.info.pop("epoch moved", None)


def _move(session: Session) -> None:
    if not session.info.get("epoch moved"):
        session.info["epoch moved"] = True
        session.execute(update(counter).values(n=counter.c.n + 1))


class Remembered(Generic[V]):
    """Values that hold while the epoch stands still; a bounded memory, safe between threads."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._epoch = -1
        self._kept: dict[Hashable, V] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, epoch: int) -> V | None:
        """Give the value kept under a key, if it was kept at this epoch."""
        return self._kept.get(key) if epoch == self._epoch else None

    def keep(self, key: Hashable, epoch: int, value: V) -> None:
        """Keep a value that was made from rows read at this epoch or later."""
        with self._lock:
            if epoch > self._epoch or len(self._kept) >= self._most:
                self._kept, self._epoch = {}, max(epoch, self._epoch)
            if epoch == self._epoch:
                self._kept[key] = value
