"""What the host asks of PostgreSQL beside what it wants to know: a request waits for each such answer, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event, select, text
from sqlalchemy.exc import OperationalError

from runtime.contract.identifiers import new_id
from runtime.store.database import TRUSTED, Database
from runtime.store.tables.organizations import OrganizationRow
from tests.databases import opened


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path, "postgresql") as database:
        yield database


def _read(database: Database) -> int:
    with database.transaction(writes=False) as session:
        session.scalars(select(OrganizationRow.id)).all()
        return int(session.scalar(text("SELECT pg_backend_pid()")) or 0)


def _write(database: Database) -> None:
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id=new_id(), title="Somebody"))


def _sent(database: Database, work: Any, path: Path) -> str:
    """Give what one piece of work exchanged with the server, as libpq writes it down."""
    work(database)  # connected, and its statements prepared as they are later on
    with path.open("w") as file:

        def trace(connection: Any, *_: object) -> None:
            connection.pgconn.trace(file.fileno())

        event.listen(database.engine, "checkout", trace, insert=True)
        work(database)
        event.remove(database.engine, "checkout", trace)
    return path.read_text()


def test_reading_begins_and_ends_no_transaction(database: Database, tmp_path: Path) -> None:
    assert "BEGIN" not in _sent(database, _read, tmp_path / "reading")
    written = _sent(database, _write, tmp_path / "writing")
    assert "BEGIN" in written and "COMMIT" in written


def test_a_connection_is_asked_whether_it_lives_once_it_was_idle(database: Database, tmp_path: Path) -> None:
    def _read_later(database: Database) -> None:
        time.sleep(TRUSTED + 0.1)
        _read(database)

    assert '";"' not in _sent(database, _read, tmp_path / "at once")
    assert '";"' in _sent(database, _read_later, tmp_path / "later")


def _end(database: Database, pid: int) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


def test_a_connection_that_ended_is_replaced(database: Database) -> None:
    ended = _read(database)
    _end(database, ended)
    time.sleep(TRUSTED + 0.1)
    assert _read(database) != ended


def test_one_that_ended_a_moment_ago_is_noticed_by_whoever_uses_it(database: Database) -> None:
    ended = _read(database)
    _end(database, ended)
    with pytest.raises(OperationalError) as caught:
        _read(database)
    assert caught.value.connection_invalidated
    assert _read(database) != ended
