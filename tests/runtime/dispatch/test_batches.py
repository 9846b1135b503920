"""Batches: a row that cannot be stored holds no other one up, and a database that is away is no fault of a row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError

from runtime.dispatch.batches import write_all


@given(st.lists(st.booleans(), max_size=40))
def test_each_row_is_written_once_or_named(fine: list[bool]) -> None:
    written: list[int] = []

    def write(part: Sequence[int]) -> None:
        if not all(fine[row] for row in part):
            raise ValueError("half a character")
        written.extend(part)

    refused = write_all(range(len(fine)), write)
    assert written == [row for row, good in enumerate(fine) if good]
    assert [row for row, _ in refused] == [row for row, good in enumerate(fine) if not good]


def test_few_transactions_find_one_row() -> None:
    tries = 0

    def write(part: Sequence[int]) -> None:
        nonlocal tries
        tries += 1
        if 77 in part:
            raise OverflowError

    assert [row for row, _ in write_all(range(1024), write)] == [77]
    assert tries <= 2 * 10 + 1


def test_a_database_that_is_away_is_no_fault_of_a_row() -> None:
    tries = 0

    def write(part: Sequence[int]) -> None:
        nonlocal tries
        tries += 1
        raise OperationalError("INSERT", {}, Exception("away"))

    with pytest.raises(OperationalError):
        write_all(range(8), write)
    assert tries == 1
