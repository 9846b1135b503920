"""How many rows of a list fit into one answer: texts may be long, and memory holds several copies of each."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import JSON, ColumnElement, LargeBinary, Text, TypeDecorator, cast, func, inspect, literal, select
from sqlalchemy.orm import Session

from runtime.store.cursors import Order
from runtime.store.database import Table

MOST = 4_000_000
"""Characters and bytes of all rows of one page, as stored; a single row always fits."""
JSON_IN_MEMORY = 4
"""Approximate bytes in memory for each character of parsed JSON."""
FIRST, GROWS = 50, 5
"""Rows that are measured in the first step, and the factor by which their number grows with each step."""


class ShortJson(TypeDecorator[Any]):
    """JSON of a few thousand characters, which its model limits: lists do not measure it before they read it."""

    impl = JSON
    cache_ok = True


def rows_that_fit(
    session: Session,
    table: type[Table],
    matching: ColumnElement[bool],
    orders: Sequence[Order],
    limit: int,
    beside: ColumnElement[int] | None = None,
) -> int:
    """Return how many of the first matching rows make up a page of at most `limit` rows: at least one.

    `beside` is the SQL for the length of data that is shown with a row but is not in its columns.
    """
    if not _long(table) and beside is None:
        return limit
    weight = length_of(table) if beside is None else length_of(table) + beside
    query = select(weight).where(matching).order_by(*(order.clause for order in orders))
    seen, left, many = 0, MOST, FIRST
    while seen < limit:
        asked = min(many, limit - seen)
        weights = session.scalars(query.offset(seen).limit(asked)).all()
        for one in weights:
            left -= one
            if left < 0:
                return max(1, seen)
            seen += 1
        if len(weights) < asked:
            break
        many *= GROWS
    return limit


@lru_cache(maxsize=128)
def length_of(table: type[Table]) -> ColumnElement[int]:
    """Return the SQL for the length of a row: the sum of all unbounded columns that are read with it."""
    lengths = [func.coalesce(func.length(_as_stored(column)), 0) for _, column in _long(table)]
    return sum(lengths[1:], lengths[0]) if lengths else literal(0)


def bytes_of(row: Table) -> int:
    """Return the approximate bytes in memory of a row's loaded values from unbounded columns."""
    values = (inspect(row).dict.get(name) for name, _ in _long(type(row)))
    return sum(_bytes(value) for value in values if value is not None)


def _bytes(value: Any) -> int:
    if isinstance(value, (str, bytes)):
        return sys.getsizeof(value)
    return JSON_IN_MEMORY * len(json.dumps(value))


@lru_cache(maxsize=128)
def _long(table: type[Table]) -> list[tuple[str, ColumnElement[Any]]]:
    """Return the unbounded columns of a table that are read with each row, with their attribute names."""
    return [
        (attribute.key, attribute.columns[0])
        for attribute in inspect(table).column_attrs
        if not attribute.deferred and _unbounded(attribute.columns[0].type)
    ]


def _unbounded(kind: object) -> bool:
    if isinstance(kind, ShortJson):
        return False
    stored = kind.impl if isinstance(kind, TypeDecorator) else kind
    return isinstance(stored, (JSON, Text)) or (isinstance(stored, LargeBinary) and stored.length is None)


def _as_stored(column: ColumnElement[object]) -> ColumnElement[object]:
    if isinstance(column.type, JSON):
        return cast(column, Text)
    # An encrypted column is not decrypted for this: only its stored length is read.
    return column
