"""How many rows of a list fit into one answer: texts may be long, and memory holds several copies of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import JSON, ColumnElement, LargeBinary, Text, TypeDecorator, cast, func, inspect, select
from sqlalchemy.orm import Session

from runtime.store.cursors import Order
from runtime.store.database import Table

MOST = 4_000_000
"""Characters and bytes of all rows of one page, as stored; a single row always fits."""
FIRST, GROWS = 50, 5
"""Rows that are measured at first, and the factor by which that grows with each step."""


def rows_that_fit(
    session: Session, table: type[Table], matching: ColumnElement[bool], orders: Sequence[Order], limit: int
) -> int:
    """Give how many of the first matching rows make up a page of at most `limit` rows: at least one."""
    weight = _weight(table)
    if weight is None:
        return limit
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
def _weight(table: type[Table]) -> ColumnElement[int] | None:
    """Give the SQL for the length of a row: that of all columns without a bound that are read with it."""
    columns = [
        attribute.columns[0]
        for attribute in inspect(table).column_attrs
        if not attribute.deferred and _unbounded(attribute.columns[0].type)
    ]
    lengths = [func.coalesce(func.length(_as_stored(column)), 0) for column in columns]
    return sum(lengths[1:], lengths[0]) if lengths else None


def _unbounded(kind: object) -> bool:
    stored = kind.impl if isinstance(kind, TypeDecorator) else kind
    return isinstance(stored, (JSON, Text)) or (isinstance(stored, LargeBinary) and stored.length is None)


def _as_stored(column: ColumnElement[object]) -> ColumnElement[object]:
    if isinstance(column.type, JSON):
        return cast(column, Text)
    # An encrypted column is not decrypted for this: only its stored length is asked for.
    return column
