"""The connection to the database, and the column types every table uses."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Engine, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.types import TypeDecorator

from runtime.store import epoch

RECHECK = 0.02


class Table(DeclarativeBase):
    """The base of every table."""


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC: SQLite drops time zones, so it is stored without and read back with one."""

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
    """Tell the time in UTC."""
    return datetime.now(UTC)


class Database:
    """An engine and its sessions; safe to share between threads.

    `alone` tells that no other process serves from this database: then the epoch is known without asking while this
    process wrote nothing, and asked for again every `RECHECK` seconds in case a command changed something.
    """

    def __init__(self, url: str, *, alone: bool = False) -> None:
        self.url = url
        self.engine = _engine(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._writing = threading.Lock()
        self._alone = alone
        self._writes = 0
        self._seen = (-1, -1, 0.0)
        self._epoch_reader = _EpochReader(self.engine)
        epoch.watch(self._sessions)

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Session]:
        """Open a session that commits at the end, or rolls back when an exception leaves the block.

        SQLite has one writer: threads of this process queue for it in order instead of polling the file's lock.
        """
        if not writes:
            with self._sessions.begin() as session:
                session.connection(execution_options={"writes": False})
                yield session
            return
        try:
            with self._writing if self.is_sqlite else nullcontext(), self._sessions.begin() as session:
                session.connection(execution_options={"writes": True})
                yield session
        finally:
            self._writes += 1

    def epoch(self) -> int:
        """Tell how often any row that decides over access or dispatch has changed; every request begins with it."""
        writes, now_ = self._writes, time.monotonic()
        seen_writes, value, read_at = self._seen
        if self._alone and seen_writes == writes and now_ - read_at < RECHECK:
            return value
        value = self._read_epoch()
        self._seen = (writes, value, now_)
        return value

    def _read_epoch(self) -> int:
        if self.is_sqlite:
            try:
                return self._epoch_reader.read()
            except sqlite3.Error:
                self._epoch_reader.close()  # and let the usual way tell what is wrong, if anything is
        with self.engine.connect() as connection:
            return epoch.current(connection)

    def close(self) -> None:
        """Close all idle connections."""
        self._epoch_reader.close()
        self.engine.dispose()


class _EpochReader:
    """Reads the epoch of a SQLite file over a connection it keeps: a tenth of what a session's query costs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: PoolProxiedConnection | None = None
        self._cursor: Any = None
        self._lock = threading.Lock()

    def read(self) -> int:
        """Give the epoch as committed by now; raises sqlite3.Error."""
        with self._lock:
            if self._connection is None:
                self._connection = self._engine.raw_connection()
                self._cursor = self._connection.cursor()
            return int(self._cursor.execute(epoch.QUERY).fetchall()[0][0])

    def close(self) -> None:
        """Give the connection up; the next read takes another."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()


def sqlite_url(path: str) -> str:
    """Build the address of a SQLite file."""
    return f"sqlite:///{path}"


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    dumps: dict[str, Any] = {
        "json_serializer": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
        "hide_parameters": True,  # errors are logged: what people wrote stays out of them
    }
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(
            url, pool_size=64, max_overflow=64, connect_args={"timeout": 30, "check_same_thread": False}, **dumps
        )
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    return create_engine(parsed, pool_size=16, max_overflow=48, pool_pre_ping=True, **dumps)


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-8000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Any) -> None:
    # Python's driver begins transactions only at the first write, which makes reads before it unrepeatable.
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
