"""The size of a space's content, including earlier revisions: counted on each write and deletion.

It is stored separately, because adding up all pieces would read the whole space for each change.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.store.inserting import insert_into
from runtime.store.tables.content import ContentSizeRow


def size_of(session: Session, space_id: str) -> int:
    """Return the bytes of a space's content, compressed, as they are stored."""
    return session.scalar(select(ContentSizeRow.size).where(ContentSizeRow.space_id == space_id)) or 0


def note(session: Session, space_id: str, more: int) -> None:
    """Count bytes that were added to the content of a space in this transaction, or taken from it."""
    if not more:
        return
    values = insert_into(session, ContentSizeRow).values(space_id=space_id, size=more)
    together = {"size": ContentSizeRow.size + values.excluded.size}
    session.execute(values.on_conflict_do_update(index_elements=[ContentSizeRow.space_id], set_=together))
