"""Which space needs which blobs, and how many bytes they have."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from runtime.store.blobs.store import Blob
from runtime.store.content import sizes
from runtime.store.database import now
from runtime.store.inserting import insert_into
from runtime.store.tables.blobs import SpaceBlobRow
from runtime.store.tables.spaces import SpaceRow


def need(session: Session, space_id: str, blobs: Sequence[Blob]) -> None:
    """Note that content of a space needs blobs, which were stored before this transaction began.

    Callers hold the lock of the space's content: what is new is counted.
    """
    more = 0
    for blob in sorted(set(blobs), key=lambda blob: blob.name):
        value = {"space_id": space_id, "name": blob.name, "size": blob.size, "added_at": now()}
        added = insert_into(session, SpaceBlobRow).values(value).on_conflict_do_nothing().returning(SpaceBlobRow.size)
        if (size := session.scalar(added)) is not None:
            more += size
        else:
            known = SpaceBlobRow.space_id == space_id, SpaceBlobRow.name == blob.name
            session.execute(update(SpaceBlobRow).where(*known).values(added_at=value["added_at"]))
    sizes.note(session, space_id, files=more)


def files_of(session: Session, space_id: str) -> tuple[int, int]:
    """Count the blobs that a space needs, and the bytes of all of them."""
    of_space = SpaceBlobRow.space_id == space_id
    total = select(func.count(), func.coalesce(func.sum(SpaceBlobRow.size), 0)).where(of_space)
    count, size = session.execute(total).one()
    return int(count), int(size)


def of_space(session: Session, space_id: str, name: str) -> tuple[int, str] | None:
    """Find how large a blob is that a space needs, and the organization of the space; None once it was deleted."""
    query = (
        select(SpaceBlobRow.size, SpaceRow.organization_id)
        .join(SpaceRow, SpaceRow.id == SpaceBlobRow.space_id)
        .where(SpaceBlobRow.space_id == space_id, SpaceBlobRow.name == name, SpaceRow.deleted_at.is_(None))
    )
    found = session.execute(query).first()
    return (found[0], found[1]) if found is not None else None
