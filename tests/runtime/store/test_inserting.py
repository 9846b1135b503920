"""Many rows at once are all there, in order, however many they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, text

from runtime.store.inserting import TOGETHER, insert_rows


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        connection.execute(text("CREATE TABLE t (seq INTEGER PRIMARY KEY, a TEXT, b BLOB)"))
        yield connection


@given(count=st.integers(0, 3 * TOGETHER[0]), content=st.binary(max_size=3))
def test_all_rows_are_there_in_order(connection: Connection, count: int, content: bytes) -> None:
    rows = [(str(number), content if number % 2 else None) for number in range(count)]
    insert_rows(connection, "INSERT INTO t (a, b) VALUES", "(?, ?)", rows)
    assert [tuple(row) for row in connection.execute(text("SELECT a, b FROM t ORDER BY seq"))] == rows
    connection.execute(text("DELETE FROM t"))


def test_as_few_statements_as_can_be(connection: Connection) -> None:
    """Each statement, and each row of `executemany`, would let other threads have the interpreter."""
    said: list[str] = []
    connection.connection.set_trace_callback(said.append)  # type: ignore[attr-defined]
    insert_rows(connection, "INSERT INTO t (a, b) VALUES", "(?, ?)", [("a", None)] * 500)
    connection.connection.set_trace_callback(None)  # type: ignore[attr-defined]
    assert len([statement for statement in said if statement.startswith("INSERT")]) == 7 + 6 + 4
    connection.execute(text("DELETE FROM t"))
