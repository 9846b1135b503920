"""Checks and side effects when a space or a collection leaves its place or its organization."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, exists, or_, select
from sqlalchemy.orm import Session

from runtime.contract.organizations import Role
from runtime.store import structure
from runtime.store.levels import number_of
from runtime.store.reach import Reach
from runtime.store.structure import Content
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow


def has_all(session: Session, reach: Reach, collection: CollectionRow, role: Role) -> bool:
    """Return whether an actor has at least a level on everything inside a collection."""
    within = structure.inside(collection.id)
    alive = SpaceRow.deleted_at.is_(None)
    enough = number_of(role)
    weak = or_(
        exists().where(SpaceRow.collection_id.in_(within), alive, SpaceRow.level_for(reach) < enough),
        exists().where(CollectionRow.id.in_(within), CollectionRow.level_for(reach) < enough),
    )
    return not session.scalar(select(weak))


def levels_inside(session: Session, reach: Reach, row: Content) -> dict[str, int]:
    """Return the numbers of an actor's levels on a space or a collection, and on all inside, by id."""
    if isinstance(row, SpaceRow):
        here: list[tuple[Any, Any]] = [(SpaceRow, SpaceRow.id == row.id)]
    else:
        within = structure.inside(row.id)
        here = [(SpaceRow, SpaceRow.collection_id.in_(within)), (CollectionRow, CollectionRow.id.in_(within))]
    queries = (select(table.id, table.level_for(reach)).where(condition) for table, condition in here)
    return {one: number for query in queries for one, number in session.execute(query)}


def grants_to_others(session: Session, collection_ids: Iterable[str], user_id: str | None) -> bool:
    """Return whether a team, or anybody else than this person, was granted access to any of these collections."""
    others = or_(GrantRow.user_id.is_(None), GrantRow.user_id != user_id)
    return bool(session.scalar(select(exists().where(GrantRow.collection_id.in_(list(collection_ids)), others))))


def first_on_a_site(session: Session, space_ids: Iterable[str]) -> str | None:
    """Return the id of one of these spaces that is part of a site."""
    query = (
        select(SiteSpaceRow.space_id)
        .join(SiteRow, SiteRow.id == SiteSpaceRow.site_id)
        .where(SiteRow.deleted_at.is_(None), SiteSpaceRow.space_id.in_(list(space_ids)))
    )
    return session.scalars(query.limit(1)).first()


def forget_grants(session: Session, row: Content) -> None:
    """Take away the grants on a space or a collection, and on all inside."""
    if isinstance(row, SpaceRow):
        on = GrantRow.space_id == row.id
    else:
        within = structure.inside(row.id)
        spaces = select(SpaceRow.id).where(SpaceRow.collection_id.in_(within))
        on = or_(GrantRow.collection_id.in_(within), GrantRow.space_id.in_(spaces))
    session.execute(delete(GrantRow).where(on).execution_options(synchronize_session=False))


def remove_collections(session: Session, collection: CollectionRow) -> None:
    """Remove a collection and all collections inside it; its spaces were taken out before."""
    going = delete(CollectionRow).where(CollectionRow.id.in_(structure.inside(collection.id)))
    session.execute(going.execution_options(synchronize_session=False))
    session.expunge(collection)
