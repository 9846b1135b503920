"""The tree of an organization: children, ancestors and siblings of spaces and collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Select, delete, func, insert, literal, or_, select
from sqlalchemy.orm import Session, aliased

from runtime.store import rows
from runtime.store.content_levels import number_of_default
from runtime.store.reach import Reach
from runtime.store.tables.ancestors import CollectionAncestorRow
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.spaces import SpaceRow

Content = SpaceRow | CollectionRow
UP = aliased(CollectionAncestorRow, name="up")
DOWN = aliased(CollectionAncestorRow, name="down")


@dataclass(frozen=True, slots=True)
class Sibling:
    """A space or a collection in some place."""

    kind: Literal["space", "collection"]
    id: str
    position: int


def ancestors(session: Session, collection_id: str) -> set[str]:
    """Return the collections above one, and the collection itself."""
    return set(session.scalars(_above(collection_id)))


def subtree(session: Session, collection_id: str) -> list[CollectionRow]:
    """List a collection and all collections inside it, as they stand now."""
    query = select(CollectionRow).where(CollectionRow.id.in_(inside(collection_id)))
    return list(session.scalars(query.execution_options(populate_existing=True)))


def spaces_inside(session: Session, collection_id: str) -> list[SpaceRow]:
    """List the spaces anywhere inside a collection, deleted ones as well, as they stand now."""
    query = select(SpaceRow).where(SpaceRow.collection_id.in_(inside(collection_id)))
    return list(session.scalars(query.execution_options(populate_existing=True)))


def inside(collection_id: str) -> Select[str]:
    """Select the ids of a collection and of all collections inside it."""
    return select(DOWN.collection_id).where(DOWN.ancestor_id == collection_id).correlate(None)


def depth(session: Session, collection_id: str | None) -> int:
    """Return the depth of items in a collection."""
    return len(ancestors(session, collection_id)) if collection_id is not None else 0


def height(session: Session, collection_id: str) -> int:
    """Return the height of a collection: 1 if there are no collections inside."""
    floors = select(func.count().label("floors")).select_from(UP).join(DOWN, DOWN.collection_id == UP.collection_id)
    floors = floors.where(DOWN.ancestor_id == collection_id).group_by(UP.collection_id)
    deepest = session.scalar(select(func.max(floors.subquery().c.floors))) or 1
    return deepest - depth(session, collection_id) + 1


def attach(session: Session, collection: CollectionRow) -> None:
    """Store the ancestors of a new collection."""
    session.execute(insert(CollectionAncestorRow).values(collection_id=collection.id, ancestor_id=collection.id))
    if collection.parent_id is not None:
        above = select(literal(collection.id), UP.ancestor_id).where(UP.collection_id == collection.parent_id)
        _note(session, above)


def reattach(session: Session, collection: CollectionRow) -> None:
    """Update the ancestors of a moved collection, and of everything inside it."""
    former = _above(collection.id).where(UP.ancestor_id != collection.id)
    going = delete(CollectionAncestorRow).where(
        CollectionAncestorRow.collection_id.in_(inside(collection.id)), CollectionAncestorRow.ancestor_id.in_(former)
    )
    session.execute(going.execution_options(synchronize_session=False))
    if collection.parent_id is not None:
        each = select(DOWN.collection_id, UP.ancestor_id).select_from(DOWN)
        above = each.join(UP, UP.collection_id == collection.parent_id).where(DOWN.ancestor_id == collection.id)
        _note(session, above)


def settle(session: Session, collection: CollectionRow) -> None:
    """Compute the effective default levels of a collection and of all collections inside it."""
    below: dict[str | None, list[CollectionRow]] = {}
    for row in subtree(session, collection.id):
        below.setdefault(row.parent_id, []).append(row)
    parent = session.get(CollectionRow, collection.parent_id) if collection.parent_id is not None else None
    floor = [(collection, parent.effective_level if parent is not None else None)]
    while floor:
        row, inherited = floor.pop()
        row.effective_level = number_of_default(row.default_level, inherited)
        floor += [(one, row.effective_level) for one in below.get(row.id, ())]
    session.flush()


def siblings(session: Session, organization_id: str, parent_id: str | None) -> list[Sibling]:
    """List what is in one place, in its order."""
    found = [
        Sibling(kind, one, position)
        for kind, query in _in_place(organization_id, parent_id, ids_only=True)
        for one, position in session.execute(query)
    ]
    return sorted(found, key=lambda one: (one.position, one.id))


def positions(session: Session, organization_id: str) -> dict[str, tuple[int, str]]:
    """Tell by what everything in an organization is ordered in its place: the id of a space or a collection -> key."""
    return {
        one: (position, one)
        for table in (SpaceRow, CollectionRow)
        for one, position in session.execute(
            select(table.id, table.position).where(table.organization_id == organization_id)
        )
    }


def rows_in_place(session: Session, organization_id: str, parent_id: str | None) -> dict[str, Content]:
    """Load what is in one place."""
    return {
        row.id: row
        for _, query in _in_place(organization_id, parent_id, ids_only=False)
        for row in session.scalars(query)
    }


def _in_place(
    organization_id: str, parent_id: str | None, *, ids_only: bool
) -> Sequence[tuple[Literal["space", "collection"], Any]]:
    spaces: Any = select(SpaceRow.id, SpaceRow.position) if ids_only else select(SpaceRow)
    folders: Any = select(CollectionRow.id, CollectionRow.position) if ids_only else select(CollectionRow)
    alive = SpaceRow.deleted_at.is_(None)
    return (
        (
            "space",
            spaces.where(SpaceRow.organization_id == organization_id, SpaceRow.collection_id == parent_id, alive),
        ),
        (
            "collection",
            folders.where(CollectionRow.organization_id == organization_id, CollectionRow.parent_id == parent_id),
        ),
    )


def _above(collection_id: str) -> Select[str]:
    return select(UP.ancestor_id).where(UP.collection_id == collection_id).correlate(None)


def _note(session: Session, pairs: Select[str, str]) -> None:
    columns = ["collection_id", "ancestor_id"]
    session.execute(insert(CollectionAncestorRow).from_select(columns, pairs))


def shared_with(session: Session, reach: Reach, organization_id: str, limit: int) -> list[tuple[str, str, str]]:
    """List what an actor sees of an organization's content, by title: `collection` or `space`, its id and title.

    What is in a collection that they see is left out. At most `limit` collections and as many spaces are listed.
    """
    there = {"organization_id": organization_id}
    seen = select(CollectionRow.id).where(rows.visible(CollectionRow, reach)).filter_by(**there).correlate(None)
    found = []
    for kind, table, above in (
        ("collection", CollectionRow, CollectionRow.parent_id),
        ("space", SpaceRow, SpaceRow.collection_id),
    ):
        query = (
            select(table.id, table.title)
            .where(rows.visible(table, reach), or_(above.is_(None), above.not_in(seen)))
            .filter_by(**there)
            .order_by(func.lower(table.title), table.id)
            .limit(limit)
        )
        found += [(kind, id_, title) for id_, title in session.execute(query)]
    return found
