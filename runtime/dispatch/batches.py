"""Batches of rows of several tenants, written in one transaction: one that cannot be stored holds no other one up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy.exc import DataError, IntegrityError, StatementError

R = TypeVar("R")

_OF_A_ROW = (ValueError, TypeError, OverflowError, DataError, IntegrityError)


def is_of_a_row(error: Exception) -> bool:
    """Return whether an error is about the values of a row, as opposed to a database that is away."""
    return isinstance(error, _OF_A_ROW) or type(error) is StatementError


def write_all(batch: Sequence[R], write: Callable[[Sequence[R]], None]) -> list[tuple[R, Exception]]:
    """Write a batch, in parts where a row in it cannot be stored; returns those rows, each with its error.

    `write` writes several in one transaction. Raises what it raises where the database is away.
    """
    try:
        write(batch)
    except Exception as error:
        if not is_of_a_row(error) or not batch:
            raise
        if len(batch) == 1:
            return [(batch[0], error)]
        half = len(batch) // 2
        return write_all(batch[:half], write) + write_all(batch[half:], write)
    return []
