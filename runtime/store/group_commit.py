"""Writers of a SQLite file that commit together: the disk is waited for once for all who waited for their turn."""

from __future__ import annotations

import copy
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial

from sqlalchemy import Connection, Dialect, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

log = logging.getLogger(__name__)

LONGEST = 0.03
"""Seconds after which a transaction takes no more writers, though some wait: who came first waits for all of them."""

PATIENCE = 1.0
"""Seconds after which a writer looks why its group does not end: each look takes a turn from those that write."""


class _Group:
    """A transaction of several writers, each in a savepoint of its own."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        try:
            self.transaction = connection.begin()
        except BaseException:  # somebody else has the file locked, or it is gone
            connection.close()
            raise
        self.until = time.monotonic() + LONGEST
        self.ended = threading.Event()
        self.failure: Exception | None = None

    def stands(self) -> bool:
        """Tell whether SQLite still has the transaction: after some errors (a full disk) it gives all of it up."""
        if self.connection.invalidated:
            return False
        driver = self.connection.connection.dbapi_connection
        return driver is not None and bool(driver.in_transaction)

    def end(self, failure: Exception | None) -> None:
        """Commit, unless it has failed already; those who wait for it learn how it went."""
        try:
            if failure is None:
                self.transaction.commit()
        except Exception as error:  # whatever it is, each of those who wait is told
            failure = error
        try:
            if failure is not None:
                self.transaction.rollback()
            self.connection.close()
        except Exception:  # a connection that can neither be used nor given back: the pool opens another
            log.exception("a connection to the database could not be given back")
            if not self.connection.closed:
                self.connection.invalidate()
        finally:
            self.failure = failure
            self.ended.set()


class GroupCommit:
    """Gives writers their turn, one at a time; safe to use from many threads.

    Of those in a group each sees what the ones before it wrote, and none is answered before all of it is on the disk.
    What one of them takes back, the others do not lose; where the commit fails, it fails for each.
    """

    def __init__(self, engine: Engine, sessions: sessionmaker[Session]) -> None:
        self._engine, self._sessions = engine, sessions
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._group: _Group | None = None
        self.while_waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        """Entered by a thread that waits for its turn or, while it has it, for the disk."""
        self.while_committed: Callable[[], AbstractContextManager[None]] = nullcontext
        """Entered by a thread that waits for others to bring to the disk what it wrote, and holds nothing."""

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a session in the transaction that is open, or in a new one; returns when it is on the disk.

        Raises SQLAlchemyError where it cannot be.
        """
        self._take_turn()
        try:
            group = self._group
            if group is None:
                group = self._group = _Group(self._engine.connect().execution_options(writes=True))
            failure: SQLAlchemyError | None = None
            try:
                with (
                    self._sessions(bind=group.connection, join_transaction_mode="create_savepoint") as session,
                    session.begin(),
                ):
                    yield session
            except SQLAlchemyError as error:
                failure = error
                raise
            finally:
                if not group.stands():
                    self._end(group, failure or _given_up())
                elif not self._waiting or time.monotonic() >= group.until:
                    self._end(group, None)
        finally:
            self._turn.release()
        self._await(group)

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        try:
            if not self._turn.acquire(blocking=False):
                with self.while_waiting():
                    self._turn.acquire()
        finally:
            with self._counting:
                self._waiting -= 1

    def _end(self, group: _Group, failure: Exception | None) -> None:
        """End the open group; for whoever has the turn."""
        self._group = None
        with self.while_waiting():
            group.end(failure)

    def _await(self, group: _Group) -> None:
        # Who was waiting ends the group. Should a thread have been ended while it waited, whoever is next does.
        if not group.ended.is_set():
            with self.while_committed():
                while not group.ended.wait(PATIENCE):
                    with self._turn:
                        if self._group is group:
                            self._end(group, None)
        if group.failure is not None:
            raise copy.copy(group.failure) from group.failure


def _given_up() -> SQLAlchemyError:
    return OperationalError("COMMIT", None, sqlite3.OperationalError("the transaction was given up by SQLite"))


def write_savepoints(dialect: Dialect) -> None:
    """Have savepoints written as text: each writer of a group has one, and compiling them cost more than they do."""
    for name, words in (
        ("do_savepoint", "SAVEPOINT"),
        ("do_release_savepoint", "RELEASE SAVEPOINT"),
        ("do_rollback_to_savepoint", "ROLLBACK TO SAVEPOINT"),
    ):
        setattr(dialect, name, partial(_do_with_savepoint, words))


def _do_with_savepoint(words: str, connection: Connection, name: str) -> None:
    connection.exec_driver_sql(f"{words} {name}")  # the name is SQLAlchemy's own: `sa_savepoint_1`
