"""Creates, changes and deletes collections."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.collections import CreateCollection, UpdateCollection
from runtime.services import installing, moving, quotas
from runtime.services import spaces as spaces_service
from runtime.services import structure as service
from runtime.store import leaving, structure
from runtime.store.database import now
from runtime.store.reach import Reach
from runtime.store.tables.collections import CollectionRow


def create(
    session: Session, organization_id: str, parent: CollectionRow | None, body: CreateCollection
) -> CollectionRow:
    """Create a collection at the end of its place; raises BadRequest if it is too deep, or there are too many."""
    if parent is not None:
        service.lock_structure(session, organization_id)
        parent = service.reread(session, parent)
        if structure.depth(session, parent.id) >= service.MAX_NESTED:
            raise errors.BadRequest(f"collections are nested at most {service.MAX_NESTED} deep", field="parent")
    row = CollectionRow(
        organization_id=organization_id,
        title=body.title,
        parent_id=parent.id if parent is not None else None,
        effective_level=parent.effective_level if parent is not None else None,
    )
    quotas.for_collections(session, organization_id)
    session.add(row)
    session.flush()
    structure.attach(session, row)
    return row


def update(session: Session, collection: CollectionRow, body: UpdateCollection) -> CollectionRow:
    """Change a collection; its default level is inherited by everything inside that has none of its own."""
    if body.default_level is not MISSING:
        service.lock_structure(session, collection.organization_id)
        collection = service.reread(session, collection)
        collection.default_level = body.default_level
        session.flush()
        structure.settle(session, collection)
    if body.title is not MISSING:
        collection.title = body.title
    if body.description is not MISSING:
        collection.description = body.description
    collection.updated_at = now()
    session.flush()
    return collection


def remove(session: Session, reach: Reach, collection: CollectionRow) -> bool:
    """Delete a collection and everything inside; returns whether it existed.

    Its spaces can be restored, at the top level of the organization and with no more access than they had.
    """
    organization_id = collection.organization_id
    service.lock_structure(session, organization_id, more=installing.ids_in(session, organization_id))
    try:
        collection = service.reread(session, collection)
    except errors.NotFound:
        return False
    moving.must_have_all(session, reach, collection, "admin")
    inside = structure.spaces_inside(session, collection.id)
    spaces_service.put_away(session, *(space for space in inside if space.deleted_at is None))
    moving.detach(session, inside)
    session.flush()
    leaving.remove_collections(session, collection)
    return True
