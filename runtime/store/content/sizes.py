"""The size of a space's content and files, including earlier revisions: counted on each write and deletion.

It is stored separately, because adding up all pieces would read the whole space for each change.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, Text, cast, func, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.store.inserting import insert_into
from runtime.store.tables.content import ContentSizeRow

AT_ONCE = 500
"""Ids in one statement."""


def json_bytes(value: Any) -> int:
    """Return how many bytes a JSON column takes for a value, as the database writes it (`Database`)."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def stored_bytes(session: Session, column: Any) -> ColumnElement[int]:
    """Count the bytes of a text or JSON column in a statement, as `json_bytes` does."""
    text = cast(column, Text)
    sqlite = session.get_bind().dialect.name == "sqlite"
    return func.length(cast(text, LargeBinary)) if sqlite else func.octet_length(text)


def size_of(session: Session, space_id: str) -> int:
    """Return the bytes of a space's content, compressed, as they are stored, without its files and comments."""
    return session.scalar(select(ContentSizeRow.size).where(ContentSizeRow.space_id == space_id)) or 0


def whole_size_of(session: Session, space_ids: Collection[str]) -> int:
    """Return the bytes of the content and the files of spaces, and of what is said about them."""
    whole = 0
    for batch in batched(list(space_ids), AT_ONCE):
        total = select(func.sum(ContentSizeRow.size + ContentSizeRow.files + ContentSizeRow.comments))
        whole += int(session.scalar(total.where(ContentSizeRow.space_id.in_(batch))) or 0)
    return whole


def note(session: Session, space_id: str, more: int = 0, *, files: int = 0, comments: int = 0) -> None:
    """Count bytes that were added to the content of a space in this transaction, or taken from it.

    Those of its files, and of comments and descriptions, are counted apart.
    """
    if not more and not files and not comments:
        return
    values = insert_into(session, ContentSizeRow).values(space_id=space_id, size=more, files=files, comments=comments)
    together = {
        "size": ContentSizeRow.size + values.excluded.size,
        "files": ContentSizeRow.files + values.excluded.files,
        "comments": ContentSizeRow.comments + values.excluded.comments,
    }
    session.execute(values.on_conflict_do_update(index_elements=[ContentSizeRow.space_id], set_=together))
