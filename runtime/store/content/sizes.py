"""The size of a space's content and files, including earlier revisions: counted on each write and deletion.

It is stored separately, because adding up all pieces would read the whole space for each change.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.store.inserting import insert_into
from runtime.store.tables.content import ContentSizeRow
from runtime.store.tables.spaces import SpaceRow

AT_ONCE = 500
"""Ids in one statement."""
_WHOLE = func.coalesce(func.sum(ContentSizeRow.size + ContentSizeRow.files), 0)


def size_of(session: Session, space_id: str) -> int:
    """Return the bytes of a space's content, compressed, as they are stored, without its files."""
    return session.scalar(select(ContentSizeRow.size).where(ContentSizeRow.space_id == space_id)) or 0


def whole_size_of(session: Session, space_ids: Collection[str]) -> int:
    """Return the bytes of the content and the files of spaces."""
    whole = 0
    for batch in batched(list(space_ids), AT_ONCE):
        whole += int(session.scalar(select(_WHOLE).where(ContentSizeRow.space_id.in_(batch))) or 0)
    return whole


def organization_size(session: Session, organization_id: str) -> int:
    """Return the bytes of all content and files of an organization, including deleted spaces not yet removed."""
    of_spaces = select(_WHOLE).join(SpaceRow, SpaceRow.id == ContentSizeRow.space_id)
    return int(session.scalar(of_spaces.where(SpaceRow.organization_id == organization_id)) or 0)


def note(session: Session, space_id: str, more: int, *, files: int = 0) -> None:
    """Count bytes that were added to the content and the files of a space in this transaction, or taken from them."""
    if not more and not files:
        return
    values = insert_into(session, ContentSizeRow).values(space_id=space_id, size=more, files=files)
    together = {
        "size": ContentSizeRow.size + values.excluded.size,
        "files": ContentSizeRow.files + values.excluded.files,
    }
    session.execute(values.on_conflict_do_update(index_elements=[ContentSizeRow.space_id], set_=together))
