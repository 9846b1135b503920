"""Cursors: a page begins after the last row of the previous page, in the order of the list.

A cursor contains the values of the ordering columns, not an offset, so rows that are added or removed meanwhile do not
shift pages. Nulls come last in either direction, on every database.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, false, literal, or_
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.types import TypeDecorator

from runtime.contract.unstorable import UNSTORABLE

LARGEST = 1 << 62
"""Beyond every number in the database; larger ones would not fit its columns."""


class BadCursor(ValueError):
    """The value of `page` was not given out by a list of this table and order."""


@dataclass(frozen=True, slots=True)
class Order:
    """One column a list is ordered by; the last one of a list must be unique among its rows."""

    column: InstrumentedAttribute[Any]
    descending: bool = False

    @property
    def clause(self) -> ColumnElement[Any]:
        """The column as an ORDER BY clause."""
        ordered = self.column.desc() if self.descending else self.column.asc()
        return ordered.nulls_last() if self.nullable else ordered

    @property
    def nullable(self) -> bool:
        """Return whether the column may be null; only then is the order of nulls said, since no index has it."""
        return bool(self.column.property.columns[0].nullable)

    @property
    def python_type(self) -> type:
        """What its values are in Python."""
        kind = self.column.type
        return (kind.impl_instance if isinstance(kind, TypeDecorator) else kind).python_type

    def beyond(self, value: Any) -> ColumnElement[bool]:
        """Match values that come after one in this column."""
        if value is None:
            return false()
        place = literal(value, self.column.type)
        later = self.column < place if self.descending else self.column > place
        return or_(later, self.column.is_(None)) if self.nullable else later

    def same(self, value: Any) -> ColumnElement[bool]:
        """Match the value itself."""
        return self.column.is_(None) if value is None else self.column == literal(value, self.column.type)


def newest_first(moment: InstrumentedAttribute[Any], key: InstrumentedAttribute[Any]) -> tuple[Order, Order]:
    """Return the usual order of a list: by a timestamp, newest first, then by the key."""
    return Order(moment, descending=True), Order(key, descending=True)


def cursor_of(row: Any, orders: Sequence[Order]) -> str:
    """Write the place of a row: the table and the names of the columns, and its values."""
    places = [_written(getattr(row, order.column.key)) for order in orders]
    text = json.dumps([_names(orders), *places], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def beyond(cursor: str, orders: Sequence[Order]) -> ColumnElement[bool]:
    """Match the rows after a cursor; raises BadCursor if this list did not give it out."""
    values = _values(cursor, orders)
    ways = []
    for place, order in enumerate(orders):
        before = [orders[index].same(values[index]) for index in range(place)]
        ways.append(and_(*before, order.beyond(values[place])))
    return or_(*ways)


def _values(cursor: str, orders: Sequence[Order]) -> list[Any]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        names, *places = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
        if names != _names(orders) or len(places) != len(orders):
            raise ValueError("the place of another list")
        return [_read(value, order) for value, order in zip(places, orders, strict=True)]
    except (ValueError, TypeError, binascii.Error, RecursionError, OverflowError) as error:
        raise BadCursor from error


def _names(orders: Sequence[Order]) -> str:
    """Name the table and the order of a list; lists of one table in the same order share cursors."""
    columns = ",".join(order.column.key + ("-" if order.descending else "") for order in orders)
    return f"{orders[0].column.class_.__tablename__}:{columns}"


def _written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _read(value: Any, order: Order) -> Any:
    """Take a value as its column holds it; raises ValueError for what none can hold."""
    if value is None:
        if not order.nullable:
            raise ValueError("a value is missing")
        return None
    kind = order.python_type
    if kind is datetime:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError("a moment without time zone")
        return moment.astimezone(UTC)  # what has no year there, the database cannot compare either
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError("a value of another kind")
    if isinstance(value, str) and UNSTORABLE.search(value):
        raise ValueError("text that no column holds")
    if isinstance(value, (int, float)) and not -LARGEST < value < LARGEST:
        raise ValueError("a number that no column holds")
    return value
