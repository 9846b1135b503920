"""The only access to tables: every read is limited to what the actor may see.

Each table declares this itself (`Table.visible_to`, `Table.listed_to`); without a declaration, nothing is visible. The
host's own work (dispatch, services after a permission check) reads as `HOST`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, inspect, literal, select, true
from sqlalchemy.orm import Session

from runtime.contract.organizations import Role
from runtime.store import cursors, locks
from runtime.store.cursors import Order
from runtime.store.database import Table
from runtime.store.epoch_cache import record_of
from runtime.store.levels import level_of
from runtime.store.loaded import loaded
from runtime.store.page_weight import rows_that_fit
from runtime.store.reach import HOST as HOST
from runtime.store.reach import Reach as Reach

R = TypeVar("R", bound=Table)
Conditions = Sequence[ColumnElement[bool]]
_Shape = tuple[tuple[str, bool], ...]
WRITTEN = 512
"""Statements that are kept: of a few actors for all tables, or of many for those that are read most."""
CONDITIONS = 128
"""The same for conditions of lists."""


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """One page of rows with the actor's level on each, the number of all rows that match, and where to go on."""

    rows: Sequence[R]
    levels: Sequence[Role | None]
    count: int
    next: str | None


def visible(table: type[Table], reach: Reach) -> ColumnElement[bool]:
    """Return the condition under which rows of a table may be seen."""
    return true() if reach.kind == "host" else table.visible_to(reach)


# To write who may see a row takes longer than to ask the database: what is asked again and again is written once. All
# that decides is part of the key, and what a condition compares with the time must be read when it is asked.
@lru_cache(maxsize=CONDITIONS)
def listed(table: type[Table], reach: Reach) -> ColumnElement[bool]:
    """Return the condition under which rows are in lists: what may be seen, except for what only its name finds."""
    return true() if reach.kind == "host" else and_(table.visible_to(reach), table.listed_to(reach))


def find(session: Session, reach: Reach, table: type[R], *conditions: ColumnElement[bool], **by: Any) -> R | None:
    """Find the row with these values that the actor may see; values that no database can store find nothing."""
    if any(_impossible(value) for value in by.values()):
        return None
    if by.keys() == {"id"} and reach.kind == "host" and not conditions:
        here = _held_in_snapshot(session, table, by.values()).get(by["id"])
        if here is not None:
            return here
    if conditions:
        row = session.scalars(select(table).where(visible(table, reach), *conditions).filter_by(**by).limit(1)).first()
    else:
        row = session.scalars(_written(table, reach, _shape(by)), _values(by)).first()
    if (record := record_of(session)) is not None:
        record.looked(reach.rests_on, [row])
    return row


def _held_in_snapshot(session: Session, table: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Return the rows that this session holds, if it reads one snapshot (`Database.reading`).

    In any other session they may have been deleted since: by others, or by the database with what they belong to.
    """
    return loaded(session, table, ids) if record_of(session) is not None else {}


def find_with_level(session: Session, reach: Reach, table: type[R], **by: Any) -> tuple[R, Role | None] | None:
    """Find a row as `find` does, with the level the actor has on it, in one query."""
    if any(_impossible(value) for value in by.values()):
        return None
    match = session.execute(_written_with_level(table, reach, _shape(by)), _values(by)).first()
    if (record := record_of(session)) is not None:
        record.looked(reach.rests_on, [match[0] if match is not None else None])
    return (match[0], level_of(match[1])) if match is not None else None


@lru_cache(maxsize=CONDITIONS)
def _level_for(table: type[Table], reach: Reach) -> ColumnElement[int]:
    return table.level_for(reach)


@lru_cache(maxsize=WRITTEN)
def _written(table: type[R], reach: Reach, by: _Shape) -> Select[R]:
    return select(table).where(visible(table, reach), *_same(table, by)).limit(1)


@lru_cache(maxsize=WRITTEN)
def _written_with_level(table: type[R], reach: Reach, by: _Shape) -> Select[R, int]:
    return select(table, table.level_for(reach)).where(visible(table, reach), *_same(table, by)).limit(1)


def _same(table: type[Table], by: _Shape) -> list[ColumnElement[bool]]:
    return [
        getattr(table, column).is_(None) if empty else getattr(table, column) == bindparam(f"by_{column}")
        for column, empty in by
    ]


def _shape(by: dict[str, Any]) -> _Shape:
    """Return the columns with whether null is looked for, which SQL asks for in another way."""
    return tuple((column, value is None) for column, value in by.items())


def _values(by: dict[str, Any]) -> dict[str, Any]:
    return {f"by_{column}": value for column, value in by.items() if value is not None}


def _impossible(value: Any) -> bool:
    """Return whether a value fits no column: addresses carry whatever somebody writes into them."""
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
    """Load rows that other rows refer to, in one query: they are visible to those who see the other rows."""
    keys = set(ids)
    found = _held_in_snapshot(session, table, keys)
    if missing := keys - found.keys():
        column = table.__table__.c.id
        found |= session.execute(select(column, table).where(column.in_(missing))).all()
    return found


def seen_by_id(session: Session, reach: Reach, table: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Load rows that other rows refer to, those that the actor may see, in one query."""
    keys = set(ids)
    if not keys:
        return {}
    column = table.__table__.c.id
    query = select(column, table).where(column.in_(keys), visible(table, reach))
    if (record := record_of(session)) is not None:
        record.listed(reach.rests_on)
    return dict(session.execute(query).all())


def is_empty(session: Session, table: type[Table]) -> bool:
    """Return whether a table has no row at all."""
    return session.scalar(select(select(table).exists())) is False


def has_more(session: Session, table: type[Table], than: int, *conditions: Any, **by: Any) -> bool:
    """Return whether there are more than so many rows with these values; counts no further."""
    some = select(literal(1)).select_from(table).where(*conditions).filter_by(**by).limit(max(than, 0) + 1).subquery()
    return (session.scalar(select(func.count()).select_from(some)) or 0) > than


def lock(session: Session, row: Table) -> None:
    """Lock this row until the end of the transaction (SQLite has one writer anyway), and read it anew.

    New rows may refer to it meanwhile: whoever inserts one, and waits for this lock, might hold what its holder needs.
    Raises NotFound where it was deleted a moment ago.
    """
    locks.read_anew(session, row, with_for_update={"key_share": True})


def remove(session: Session, row: Table) -> bool:
    """Delete a row; of concurrent callers, only one gets True."""
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
    beside: ColumnElement[int] | None = None,
    seen: ColumnElement[bool] | None = None,
) -> Page[R]:
    """List one page of the rows the actor may see, fewer than `limit` if they are long; raises BadCursor.

    `beside` is the SQL for the length of what each is shown with (`runtime/store/page_weight.py`), `seen` replaces what
    the table says about who sees its rows, in lists of deleted ones.
    """
    if (record := record_of(session)) is not None:
        record.listed(reach.rests_on)
    matching = and_(listed(table, reach) if seen is None else seen, *conditions)
    after = true() if cursor is None else cursors.beyond(cursor, orders)
    count = session.scalar(select(func.count()).select_from(table).where(matching)) or 0
    limit = rows_that_fit(session, table, and_(matching, after), orders, limit, beside)
    query = select(table, _level_for(table, reach)).where(matching, after).order_by(*(order.clause for order in orders))
    matches = session.execute(query.limit(limit + 1)).all()
    rows = [row for row, _ in matches[:limit]]
    following = cursors.cursor_of(rows[-1], orders) if len(matches) > limit and rows else None
    return Page(rows, [level_of(number) for _, number in matches[:limit]], count, following)
