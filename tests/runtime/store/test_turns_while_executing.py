"""A thread lets others of its organization run while PostgreSQL works for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from runtime.engines import interpreter_turns
from runtime.engines.interpreter_turns import AT_ONCE, InterpreterTurns, Waiting, WaitingForLock
from runtime.store.database import Database
from tests.conftest import wait_for

pytestmark = pytest.mark.parametrize("address", ["postgresql"], indirect=True)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> InterpreterTurns:
    """Turns that nobody keeps for too long."""
    monkeypatch.setattr(interpreter_turns, "SLICE", 60)
    return InterpreterTurns()


@pytest.fixture
def shared(address: str) -> Iterator[Database]:
    database = Database(address)
    database.share(nullcontext, Waiting, WaitingForLock)
    yield database
    database.close()


def execute(database: Database, *statements: str) -> None:
    with database.transaction(writes=True) as session:
        for statement in statements:
            session.execute(text(statement))


def test_who_holds_locks_in_the_database_does_not_wait_behind_others_of_the_organization(
    shared: Database, turns: InterpreterTurns
) -> None:
    execute(shared, "CREATE TABLE wanted (n integer)", "INSERT INTO wanted VALUES (0)")
    update, locked, done = "UPDATE wanted SET n = n + 1", threading.Event(), threading.Event()

    def write() -> None:
        with turns.of("greedy"), shared.transaction(writes=True) as session:
            session.execute(text(update))
            locked.set()
            session.execute(text("SELECT pg_sleep(0.3)"))

    def keep() -> None:
        with turns.of("greedy"):
            done.wait(30)

    threads = [threading.Thread(target=write, daemon=True)]
    threads[0].start()
    assert locked.wait(30)
    threads += [threading.Thread(target=keep, daemon=True) for _ in range(AT_ONCE + 1)]
    for thread in threads[1:]:
        thread.start()
    wait_for(lambda: len(turns._active["greedy"]) == AT_ONCE and bool(turns._line))
    try:
        with turns.of("quiet"):
            execute(shared, "SET lock_timeout = '10s'", update)
    finally:
        done.set()
    for thread in threads:
        thread.join(30)
    assert not turns._active


def test_a_statement_that_fails_gives_the_turn_back(shared: Database, turns: InterpreterTurns) -> None:
    lost = "SELECT pg_terminate_backend(pg_backend_pid())"
    with turns.of("one") as turn:
        for statement in ("SELECT 1/0", "SELECT nonsense", lost):
            with pytest.raises(DBAPIError):
                execute(shared, statement)
            assert turn.runs
            assert turns._active == {"one": [turn]}
    assert not turns._active
