"""The connection to the database, and the column types every table uses."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, cast

from sqlalchemy import ColumnElement, Connection, DateTime, Dialect, Engine, create_engine, event, false, literal, true
from sqlalchemy import Table as SqlTable
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.types import TypeDecorator

from runtime.store import epochs, storage_limits
from runtime.store.change_counts import ChangeCounts
from runtime.store.database_file import DatabaseFile, path_of
from runtime.store.epoch_cache import Basis, Epochs, Record, watch_reading
from runtime.store.epoch_prefetch import EpochPrefetch
from runtime.store.epoch_rules import UNKNOWN, EpochRules
from runtime.store.epochs import Watch
from runtime.store.group_commit import GroupCommit, write_savepoints
from runtime.store.reach import Reach
from runtime.store.storage_limits import NO_LIMITS, StorageLimits

RECHECK = 0.02
CONNECTION_WAIT = 3.0
"""Seconds that a thread waits for a connection from the pool; after that, its client is asked to retry."""
CONNECTIONS = 64
"""Connections of one process to PostgreSQL."""
TRUSTED = 0.5
"""Seconds after its last use in which a connection to PostgreSQL is assumed to be alive."""


class Table(DeclarativeBase):
    """The base of every table. A table that does not say who sees its rows shows them to the host only.

    One that does not declare what its rows affect advances the global epoch (`runtime/store/epoch_rules.py`).
    `taken` is the message for a duplicate row.
    """

    taken: ClassVar[str] = "Somebody created the same object concurrently; check what exists, and try again."
    epoch_rules: ClassVar[EpochRules | None] = UNKNOWN

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        info = cast(SqlTable, cls.__table__).info  # statements know the table only
        info["epoch_rules"], info["class"] = cls.epoch_rules, cls

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Return the condition under which an actor may see rows of this table."""
        return false()

    @classmethod
    def listed_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Return what else must hold for rows to be in lists."""
        return true()

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """Return the level an actor has on rows of this table, as a number (`runtime/store/levels.py`)."""
        return literal(0)


class UtcTime(TypeDecorator[datetime]):
    """A timestamp in UTC: SQLite drops time zones, so it is stored without one and read back with one."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Any) -> Any:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sqlite.DATETIME())  # type: ignore[no-untyped-call]
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class Database:
    """An engine and its sessions, which know the `storage` limits; safe to share between threads.

    `alone` tells that no other process serves from this database, `changes` counts what all that do have changed. With
    either, epochs are asked for once somebody moved one, and every `RECHECK` seconds in case a command did.
    """

    def __init__(
        self,
        url: str,
        *,
        alone: bool = False,
        changes: ChangeCounts | None = None,
        storage: StorageLimits = NO_LIMITS,
    ) -> None:
        self.url, self.storage = url, storage
        file = path_of(url)
        self._file = DatabaseFile(file) if file is not None else None
        self.engine = _engine(url, self._file)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        options: dict[str, Any] = {"expire_on_commit": False, "info": {storage_limits.KEY: storage}}
        self._sessions, self._readers = sessionmaker(self.engine, **options), sessionmaker(self.engine, **options)
        self._writers = GroupCommit(self.engine, self._sessions)
        # Each statement by itself: PostgreSQL shows each of a transaction what is committed by then in any case, and to
        # begin and to end one would make the host wait for it twice more.
        self._reads = {"writes": False, **({} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"})}
        self._writes: dict[str, Any] = {} if self.is_sqlite else {"writes": True}  # SQLite's group says so itself
        self._alone, self._changes = alone, changes
        self._known = _Known()
        self._prefetch = EpochPrefetch()
        self._epoch_reader = _EpochReader(self.engine)
        self._place: Callable[[], AbstractContextManager[None]] = nullcontext
        self._waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self._holding = threading.local()
        Watch(self._sessions, Table.metadata)
        watch_reading(self._readers)

    def share(
        self,
        place: Callable[[], AbstractContextManager[None]],
        waiting: Callable[[], AbstractContextManager[None]],
        waiting_for_lock: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Have a thread hold a place while it has a connection: on PostgreSQL, where others wait for connections.

        Threads of one organization that wait for each other's locks would hold all that there are. SQLite's writers
        queue before they take one. They are `waiting_for_lock` meanwhile, and writers of PostgreSQL while it works for
        them: it may give them locks. Other threads are `waiting` while PostgreSQL or another thread works, also those
        that have written and hold nothing any more.
        """
        self._waiting = waiting
        if self.is_sqlite:
            self._writers.while_waiting = waiting_for_lock
            self._writers.while_committed = waiting
        else:
            self._place = place
            _wait_while_executing(self.engine, waiting, waiting_for_lock)

    def waiting(self) -> AbstractContextManager[None]:
        """Return what a thread enters that waits for another one."""
        return self._waiting()

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Session]:
        """Open a session that commits at the end, or rolls back when an exception leaves the block.

        SQLite has one writer: threads of this process queue for it instead of polling the file's lock, and those that
        wait commit together. Raises DatabaseGone where what is written would be lost, since the file has been removed.
        """
        if not writes:
            with self._placed(), self._sessions.begin() as session:
                session.connection(execution_options=self._reads)
                yield session
            return
        written: Session | None = None
        self.check()
        try:
            with self._placed(), self._writers.transaction() if self.is_sqlite else self._sessions.begin() as session:
                session.connection(execution_options=self._writes)
                written = session
                yield session
        finally:
            if written is not None and epochs.moved(written):
                # After the commit: whoever asked before and is answered now puts it into what is thrown away here.
                self._known = _Known()
                if self._changes is not None:
                    self._changes.count()

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Hold a place, once for each thread: one that waited for a second would keep the first."""
        if getattr(self._holding, "place", False):
            yield
            return
        with self._place():
            self._holding.place = True
            try:
                yield
            finally:
                self._holding.place = False

    @contextmanager
    def reading(self) -> Iterator[Record]:
        """Open a session for values to be cached: it reads one snapshot, and its reads are recorded."""
        # By itself PostgreSQL shows each statement what is committed by then: rows from before a change, epochs from
        # after it. SQLite's transactions are snapshots from their first read on.
        options = {"writes": False} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._placed(), self._readers.begin() as session:
            session.connection(execution_options=options)
            yield Record(session, Table.metadata)

    def basis(self) -> Basis:
        """Begin the basis of a request; every request begins with it."""
        return Basis(self.epochs, self._prefetch)

    def epochs(self, owners: Collection[str]) -> Epochs:
        """Return the committed epochs of these owners, possibly among others."""
        if not self._alone and self._changes is None:
            return self._read_epochs(owners)
        changes = self._changes.seen() if self._changes is not None else b""
        known = self._known
        if known.changes != changes or time.monotonic() >= known.until:
            # In its place before anything is read for it: a writer who ends meanwhile replaces it, or has counted, and
            # what was read too early is of no use to anybody but who is being answered.
            known = self._known = _Known(time.monotonic() + RECHECK, changes)
        missing = [owner for owner in owners if owner not in known.epochs]
        if missing:
            known.epochs.update(self._read_epochs(missing))
        return known.epochs

    def check(self) -> None:
        """Raise DatabaseGone if the file of a SQLite database no longer exists."""
        if self._file is not None:
            self._file.check()

    def _read_epochs(self, owners: Collection[str]) -> dict[str, int]:
        if self.is_sqlite:
            try:
                return self._epoch_reader.read(owners)
            except sqlite3.Error:
                self._epoch_reader.close()  # and let the usual way tell what is wrong, if anything is
        with self.engine.connect() as connection:
            connection.execution_options(**self._reads)
            return epochs.read(connection, owners)

    def close(self) -> None:
        """Close all idle connections."""
        self._epoch_reader.close()
        self.engine.dispose()


class _Known:
    """Epochs that were read since no writer ended, and how long they count in monotonic seconds.

    `changes` is what was counted before the first of them was read.
    """

    def __init__(self, until: float = 0.0, changes: bytes = b"") -> None:
        self.until, self.changes = until, changes
        self.epochs: dict[str, int] = {}


class _EpochReader:
    """Reads epochs of a SQLite file over a connection it keeps: a tenth of what a session's query costs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: PoolProxiedConnection | None = None
        self._cursor: Any = None
        self._lock = threading.Lock()

    def read(self, owners: Collection[str]) -> dict[str, int]:
        """Return epochs as committed by now; raises sqlite3.Error."""
        marks = ",".join("?" * len(owners))
        with self._lock:
            if self._connection is None:
                self._connection = self._engine.raw_connection()
                self._cursor = self._connection.cursor()
            query = f"SELECT owner, n FROM epochs WHERE owner IN ({marks})"
            return {**dict.fromkeys(owners, 0), **dict(self._cursor.execute(query, tuple(owners)).fetchall())}

    def close(self) -> None:
        """Give the connection up; the next read takes another."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()


def _wait_while_executing(
    engine: Engine,
    waiting: Callable[[], AbstractContextManager[None]],
    waiting_for_lock: Callable[[], AbstractContextManager[None]],
) -> None:
    """Mark a thread as `waiting` while the database executes a statement for it or, for writers, waits for a lock."""
    own = threading.local()

    def begin(connection: Connection, *_: Any) -> None:
        own.waiting = waiting_for_lock() if connection.get_execution_options().get("writes") else waiting()
        own.waiting.__enter__()

    def end(*_: Any) -> None:
        waiting_, own.waiting = getattr(own, "waiting", None), None
        if waiting_ is not None:
            waiting_.__exit__(None, None, None)

    event.listen(engine, "before_cursor_execute", begin)
    event.listen(engine, "after_cursor_execute", end)
    event.listen(engine, "handle_error", end)


def sqlite_url(path: str) -> str:
    """Build the address of a SQLite file."""
    return f"sqlite:///{path}"


class _WithHints(sqlite.base.SQLiteCompiler):
    """Writes a hint behind the table it is for, which SQLAlchemy leaves out for SQLite: `INDEXED BY`."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


def _engine(url: str, file: DatabaseFile | None) -> Engine:
    parsed = make_url(url)
    dumps: dict[str, Any] = {
        "json_serializer": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
        "hide_parameters": True,  # errors are logged: what people wrote stays out of them
    }
    if parsed.get_backend_name() == "sqlite":
        arguments = {"timeout": 30, "check_same_thread": False}
        engine = create_engine(
            url, pool_size=64, max_overflow=64, pool_timeout=CONNECTION_WAIT, connect_args=arguments, **dumps
        )
        engine.dialect.statement_compiler = _WithHints
        write_savepoints(engine.dialect)
        event.listen(engine, "connect", _configure_sqlite)
        if file is not None:
            event.listen(engine, "do_connect", lambda *_: file.check())  # a file that is missing would be made
            event.listen(engine, "connect", lambda *_: file.opened())
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    parsed = parsed.set(query={**_REACHED, **parsed.query})
    engine = create_engine(parsed, pool_size=16, max_overflow=CONNECTIONS - 16, pool_timeout=CONNECTION_WAIT, **dumps)
    event.listen(engine, "connect", _configure_postgresql)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", partial(_make_sure, engine.dialect))
    return engine


def _note_use(_connection: Any, record: ConnectionPoolEntry) -> None:
    record.info["used"] = time.monotonic()


def _make_sure(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
    """Check whether a connection is alive before it is used, unless it was used a moment ago.

    Checking each time would add a round trip to each use.
    """
    if time.monotonic() - record.info.get("used", float("-inf")) < TRUSTED:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        # One that ended has usually ended with all others: none of them is tried.
        raise InvalidatePoolError from error


def _configure_postgresql(connection: Any, _record: Any) -> None:
    # A machine that is gone without a word must not keep what it locked: other hosts wait for that.
    with connection.cursor() as cursor:
        for name, value in _WATCHED.items():
            cursor.execute(f"SET {name} = {value}")
    connection.commit()


_REACHED = {"connect_timeout": "3", "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3"}
"""So that a server that is gone without a word is noticed soon; an address may say otherwise."""
_WATCHED = {
    "idle_in_transaction_session_timeout": 60_000,
    "tcp_keepalives_idle": 15,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
}


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-8000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Any) -> None:
    # Python's driver begins transactions only at the first write, which makes reads before it unrepeatable.
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
