"""The only door to a table: every read asks first for what the actor may see.

What that is, each table says itself (`Table.visible_to`, `Table.listed_to`); one that says nothing shows nothing. The
host's own work (dispatch, services after a permission was checked) asks as `HOST`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, and_, func, inspect, select, true
from sqlalchemy.orm import Session

from runtime.contract.organizations import Role
from runtime.store import cursors
from runtime.store.cursors import Order
from runtime.store.database import Table
from runtime.store.levels import level_of
from runtime.store.reach import HOST as HOST
from runtime.store.reach import Reach as Reach
from runtime.store.remembered import record_of

R = TypeVar("R", bound=Table)
Conditions = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """One page of rows with the actor's level on each, the number of all rows that match, and where to go on."""

    rows: Sequence[R]
    levels: Sequence[Role | None]
    count: int
    next: str | None


def visible(table: type[Table], reach: Reach) -> ColumnElement[bool]:
    """Give the condition under which rows of a table may be seen."""
    return true() if reach.kind == "host" else table.visible_to(reach)


def listed(table: type[Table], reach: Reach) -> ColumnElement[bool]:
    """Give the condition under which rows are in lists: what may be seen, but for what only its name finds."""
    return true() if reach.kind == "host" else and_(table.visible_to(reach), table.listed_to(reach))


def find(session: Session, reach: Reach, table: type[R], *conditions: ColumnElement[bool], **by: Any) -> R | None:
    """Find the one row with these values that the actor may see; values no database can hold name nothing."""
    if any(_impossible(value) for value in by.values()):
        return None
    query = select(table).where(visible(table, reach), *conditions).filter_by(**by).limit(1)
    row = session.scalars(query).first()
    if (record := record_of(session)) is not None:
        record.looked(reach.rests_on, [row])
    return row


def find_with_level(session: Session, reach: Reach, table: type[R], **by: Any) -> tuple[R, Role | None] | None:
    """Find a row as `find` does, with the level the actor has on it, in one query."""
    if any(_impossible(value) for value in by.values()):
        return None
    same = [getattr(table, column) == value for column, value in by.items()]
    query = select(table, table.level_for(reach)).where(visible(table, reach), *same).limit(1)
    match = session.execute(query).first()
    if (record := record_of(session)) is not None:
        record.looked(reach.rests_on, [match[0] if match is not None else None])
    return (match[0], level_of(match[1])) if match is not None else None


def _impossible(value: Any) -> bool:
    """Tell whether a value fits no column: addresses carry whatever somebody writes into them."""
    if isinstance(value, str):
        return "\x00" in value
    return isinstance(value, int) and abs(value) >= 1 << 63


def every(session: Session, reach: Reach, table: type[R], *conditions: ColumnElement[bool], **by: Any) -> list[R]:
    """List all rows with these values that the actor may see, oldest first where the table has dates."""
    query = select(table).where(visible(table, reach), *conditions).filter_by(**by)
    created = getattr(table, "created_at", None)
    if created is not None:
        query = query.order_by(created)
    if (record := record_of(session)) is not None:
        record.listed(reach.rests_on)
    return list(session.scalars(query))


def by_id(session: Session, table: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Load rows that others name, in one query: whoever may see those may know of them."""
    keys = set(ids)
    if not keys:
        return {}
    column = table.__table__.c.id
    return dict(session.execute(select(column, table).where(column.in_(keys))).all())


def is_empty(session: Session, table: type[Table]) -> bool:
    """Tell whether a table has no row at all."""
    return session.scalar(select(select(table).exists())) is False


def lock(session: Session, row: Table) -> None:
    """Make other transactions that lock this row wait for the end of this one (SQLite has one writer anyway)."""
    session.refresh(row, with_for_update=True)


def remove(session: Session, row: Table) -> bool:
    """Remove a row; of several who do so at the same moment one is told that it was there."""
    mapper = inspect(type(row))
    values = mapper.primary_key_from_instance(row)
    same = [column == value for column, value in zip(mapper.primary_key, values, strict=True)]
    if session.execute(select(mapper.primary_key[0]).where(*same).with_for_update()).first() is None:
        return False
    session.delete(row)
    session.flush()
    return True


def page(
    session: Session,
    reach: Reach,
    table: type[R],
    *conditions: ColumnElement[bool],
    orders: Sequence[Order],
    cursor: str | None,
    limit: int,
) -> Page[R]:
    """List one page of the rows the actor may see; raises BadCursor."""
    if (record := record_of(session)) is not None:
        record.listed(reach.rests_on)
    matching = and_(listed(table, reach), *conditions)
    after = true() if cursor is None else cursors.beyond(cursor, orders)
    count = session.scalar(select(func.count()).select_from(table).where(matching)) or 0
    query = select(table, table.level_for(reach)).where(matching, after).order_by(*(order.clause for order in orders))
    matches = session.execute(query.limit(limit + 1)).all()
    rows = [row for row, _ in matches[:limit]]
    following = cursors.cursor_of(rows[-1], orders) if len(matches) > limit and rows else None
    return Page(rows, [level_of(number) for _, number in matches[:limit]], count, following)
