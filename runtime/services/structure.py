"""Puts spaces and collections where they belong: inside a collection or at the top, in an order, without circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.places import Pointer, Position
from runtime.store import locks, rows, structure
from runtime.store.content_levels import INHERIT
from runtime.store.database import now
from runtime.store.levels import level_of
from runtime.store.reach import Reach
from runtime.store.structure import Content, Sibling
from runtime.store.tables.collections import CollectionRow, at_the_end
from runtime.store.tables.spaces import SpaceRow

C = TypeVar("C", bound=Content)

MAX_NESTED = 100
"""How deep collections may stand inside each other: each writes a row for every one above it."""
APART = 1 << 20
"""Between what is put in order again, so that much fits in between."""
NOT_BESIDE = "there is no such space or collection in the same place"


def lock_structure(session: Session, *organization_ids: str, more: Sequence[str] = ()) -> None:
    """Keep others from changing what stands where in organizations; what was read before is read again."""
    locks.acquire(session, *(f"content of {one}" for one in organization_ids), *more)


def reread(session: Session, row: C) -> C:
    """Read a row as it stands now; raises NotFound for what was deleted, or went elsewhere, a moment ago."""
    table, by = type(row), {"id": row.id, "organization_id": row.organization_id}
    session.expire(row)
    found = rows.find(session, rows.HOST, table, **by)
    if found is None or getattr(found, "deleted_at", None) is not None:
        raise errors.NotFound("It was deleted a moment ago, or moved to another organization.")
    return found


def parent_of(row: Content) -> str | None:
    """Tell in which collection something stands."""
    return row.collection_id if isinstance(row, SpaceRow) else row.parent_id


def put_inside(session: Session, row: Content, parent: CollectionRow | None) -> None:
    """Note where something stands from now on; raises BadRequest for a circle, and for too many floors."""
    if isinstance(row, SpaceRow):
        row.collection_id = parent.id if parent is not None else None
        session.flush()
        return
    above = structure.ancestors(session, parent.id) if parent is not None else set()
    if row.id in above:
        raise errors.BadRequest("a collection cannot be moved into itself, or into something inside it", field="parent")
    if len(above) + structure.height(session, row.id) > MAX_NESTED:
        raise errors.BadRequest(f"collections are nested at most {MAX_NESTED} deep", field="parent")
    row.parent_id = parent.id if parent is not None else None
    session.flush()
    structure.reattach(session, row)
    structure.settle(session, row)


def put_at_end(session: Session, row: Content) -> None:
    """Put something after everything else in its place."""
    others = _others(session, row, parent_of(row))
    row.position = max(at_the_end(), others[-1].position + 1 if others else 0)
    session.flush()


def put_beside(session: Session, reach: Reach, row: Content, position: Position, *, moved: bool) -> None:
    """Put something before or behind another in its place; raises BadRequest for what is not there for who asks.

    Raises Conflict where it stands there already, unless it `moved` from another place.
    """
    others = _others(session, row, parent_of(row))
    index = _index(session, reach, others, position)
    if not moved and index == sum((one.position, one.id) < (row.position, row.id) for one in others):
        raise errors.Conflict("It is already there.")
    row.position = _between(others, index)
    if any(one.position == row.position for one in others):
        _spread(session, row, others, index)
    session.flush()


def keep_closed(row: Content, inherited: int | None) -> None:
    """Make the default level that something inherited its own: it leaves the collection that gave it."""
    if row.default_level == INHERIT and inherited is not None:
        row.default_level = level_of(inherited)
    row.updated_at = now()


def _others(session: Session, row: Content, parent_id: str | None) -> list[Sibling]:
    return [one for one in structure.siblings(session, row.organization_id, parent_id) if one.id != row.id]


def _index(session: Session, reach: Reach, others: Sequence[Sibling], position: Position) -> int:
    """Tell before how many of the others something goes."""
    places: dict[tuple[str, str], int] = {(one.kind, one.id): place for place, one in enumerate(others)}
    before, after = (
        None if pointer is MISSING else _place(session, reach, places, name, pointer)
        for name, pointer in (("before", position.before), ("after", position.after))
    )
    if before is not None and after is not None and after >= before:
        raise errors.BadRequest("the item of `after` must come before the item of `before`", field="position")
    return before if before is not None else (after or 0) + 1


def _place(session: Session, reach: Reach, places: Mapping[tuple[str, str], int], name: str, pointer: Pointer) -> int:
    place = places.get((pointer.type, pointer.id))
    table = SpaceRow if pointer.type == "space" else CollectionRow
    if place is None or rows.find(session, reach, table, id=pointer.id) is None:
        raise errors.BadRequest(NOT_BESIDE, field=f"position.{name}")
    return place


def _between(others: Sequence[Sibling], index: int) -> int:
    if index == len(others):
        return max(at_the_end(), others[-1].position + 1 if others else 0)
    if index == 0:
        return others[0].position - APART
    return (others[index - 1].position + others[index].position) // 2


def _spread(session: Session, row: Content, others: Sequence[Sibling], index: int) -> None:
    """Give everything in a place a position of its own, in the order it has: there was no room left."""
    loaded = structure.rows_in_place(session, row.organization_id, parent_of(row))
    loaded[row.id] = row
    order = [one.id for one in others]
    order.insert(index, row.id)
    first = at_the_end() - APART * len(order)
    for place, one in enumerate(order):
        loaded[one].position = first + APART * place
