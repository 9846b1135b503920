"""Garbage collection of content: intermediate revisions, then pieces, documents and files that none refers to.

A change request creates a revision with every edit. Long after it was merged or archived, the steps in between are
deleted. Revisions that were once current are kept, and so are those that a change request, a comment or a review refers
to. Writing a revision holds the lock of the space's content: candidates for deletion are checked again under that
lock, because a new revision may need them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.store.blobs.store import GRACE
from runtime.store.content import sizes
from runtime.store.content.pieces import names_of, unpack
from runtime.store.content.revisions import AT_ONCE, CACHE
from runtime.store.database import Database, now
from runtime.store.locks import acquire
from runtime.store.tables.blobs import SpaceBlobRow
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.content import ContentPieceRow, DocumentReferencesRow, RevisionRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.spaces import SpaceRow

KEPT = timedelta(days=30)
"""How long every revision is kept."""
SPACES = 20
"""Spaces that are checked in one step."""


@dataclass
class Needed:
    """References of revisions: pieces and documents by their names, files by those of their blobs."""

    revisions: set[str] = field(default_factory=set)
    pieces: set[bytes] = field(default_factory=set)
    blobs: set[str] = field(default_factory=set)

    def add(self, session: Session, space_id: str, rows: Iterable[tuple[str, bytes, bytes, bytes]]) -> None:
        """Add the references of some revisions; each piece is read once, however many revisions share it."""
        lists: set[bytes] = set()
        for revision_id, *of_revision in rows:
            self.revisions.add(revision_id)
            lists |= {name for one in of_revision for name in names_of(one)}
        new = sorted(lists - self.pieces)
        self.pieces |= lists
        for batch in batched(new, AT_ONCE):
            query = select(ContentPieceRow.content).where(
                ContentPieceRow.space_id == space_id, ContentPieceRow.name.in_(batch)
            )
            for content in session.scalars(query):
                for entry in unpack(content):
                    if entry.get("document"):
                        self.pieces.add(bytes.fromhex(entry["document"]))
                    if entry.get("blob"):
                        self.blobs.add(entry["blob"])


def collect_some(database: Database, after: str = "") -> str:
    """Collect in the next few spaces with something to collect; returns the id of the last, empty at the end."""
    before = now() - KEPT
    with database.transaction(writes=False) as session:
        query = select(RevisionRow.space_id).where(*_steps(before), RevisionRow.space_id > after)
        spaces = session.scalars(query.distinct().order_by(RevisionRow.space_id).limit(SPACES)).all()
    for space_id in spaces:
        collect(database, space_id, before)
    return spaces[-1] if len(spaces) == SPACES else ""


def collect(database: Database, space_id: str, before: datetime) -> int:
    """Delete the steps of a space made before a moment, and what only they needed; returns how many revisions went."""
    gone = _delete_steps(database, space_id, before)
    if gone:
        sweep(database, space_id)
    return gone


def sweep(database: Database, space_id: str) -> None:
    """Delete the pieces, documents and files of a space that no revision needs, and count their bytes off.

    An import that is under way may have stored some of them: it looks once more before it names them.
    """
    with database.transaction(writes=False) as session:
        needed = Needed()
        needed.add(session, space_id, _revisions(session, space_id))
        pieces = select(ContentPieceRow.name).where(ContentPieceRow.space_id == space_id)
        needless = sorted(set(session.scalars(pieces)) - needed.pieces)
        old = SpaceBlobRow.added_at < now() - GRACE
        blobs = select(SpaceBlobRow.name).where(SpaceBlobRow.space_id == space_id, old)
        needless_blobs = sorted(set(session.scalars(blobs)) - needed.blobs)
    for part in batched(needless, AT_ONCE):
        with _written_since(database, space_id, needed) as session:
            names = [name for name in part if name not in needed.pieces]
            of_these = delete(ContentPieceRow).where(
                ContentPieceRow.space_id == space_id, ContentPieceRow.name.in_(names)
            )
            deleted = session.scalars(of_these.returning(func.length(ContentPieceRow.content))).all()
            found = DocumentReferencesRow
            of_found = delete(found).where(found.space_id == space_id, found.name.in_(names)).returning(found.size)
            sizes.note(session, space_id, -sum(deleted) - sum(session.scalars(of_found)))
    for some in batched(needless_blobs, AT_ONCE):
        with _written_since(database, space_id, needed) as session:
            unneeded = [name for name in some if name not in needed.blobs]
            of_blobs = delete(SpaceBlobRow).where(
                SpaceBlobRow.space_id == space_id,
                SpaceBlobRow.name.in_(unneeded),
                SpaceBlobRow.added_at < now() - GRACE,
            )
            sizes.note(session, space_id, files=-sum(session.scalars(of_blobs.returning(SpaceBlobRow.size))))


@contextmanager
def _written_since(database: Database, space_id: str, needed: Needed) -> Iterator[Session]:
    """Lock the space's content, and add the references of revisions that were written since it was checked."""
    with database.transaction(writes=True) as session:
        acquire(session, f"content of {space_id}")
        query = _revisions(session, space_id)
        needed.add(session, space_id, [row for row in query if row[0] not in needed.revisions])
        yield session


def _revisions(session: Session, space_id: str) -> Sequence[tuple[str, bytes, bytes, bytes]]:
    row = RevisionRow
    query = select(row.id, row.pages, row.files, row.reusable_contents).where(row.space_id == space_id)
    return [(found[0], found[1], found[2], found[3]) for found in session.execute(query)]


def _delete_steps(database: Database, space_id: str, before: datetime) -> int:
    """Delete revisions that nothing refers to and that were never the current one."""
    gone = 0
    with database.transaction(writes=False) as session:
        steps = select(RevisionRow.id).where(RevisionRow.space_id == space_id, *_steps(before))
        said = _said(session, space_id)
        ids = sorted(set(session.scalars(steps)) - said)
    for part in batched(ids, AT_ONCE):
        with database.transaction(writes=True) as session:
            acquire(session, f"content of {space_id}")
            still = RevisionRow.id.in_(part), RevisionRow.space_id == space_id
            # Somebody may have commented on one of them a moment ago, or the space moved on from it.
            late = set(session.scalars(select(RevisionRow.id).where(*still, *_steps(before))))
            late -= _said(session, space_id)
            stored = sizes.stored_bytes(session, RevisionRow.variables)
            variables = session.scalars(delete(RevisionRow).where(RevisionRow.id.in_(late)).returning(stored))
            sizes.note(session, space_id, -sum(length for length in variables if length > len("{}")))
            gone += len(late)
        for revision_id in late:
            CACHE.forget(revision_id)
    return gone


def _said(session: Session, space_id: str) -> set[str]:
    """Return the revisions that were current once: from the current one back, along first parents."""
    query = select(RevisionRow.id, RevisionRow.parents).where(RevisionRow.space_id == space_id)
    first = {revision_id: parents[0] if parents else None for revision_id, parents in session.execute(query)}
    said: set[str] = set()
    one = session.scalar(select(SpaceRow.revision_id).where(SpaceRow.id == space_id))
    while one is not None and one not in said:
        said.add(one)
        one = first.get(one)
    return said


def _steps(before: datetime) -> tuple[Any, ...]:
    """Match revisions of change requests that are old and that nothing names."""
    of, request = RevisionRow, ChangeRequestRow
    named = or_(
        *(column == of.id for column in (request.revision_id, request.initial_id, request.ancestor_id)),
        request.merged_ancestor_id == of.id,
        request.merged_id == of.id,
    )
    return (
        of.created_at < before,
        of.type.in_(("edits", "update")),
        ~exists().where(request.space_id == of.space_id, named),
        ~exists().where(SpaceRow.id == of.space_id, or_(SpaceRow.revision_id == of.id, SpaceRow.previous_id == of.id)),
        ~exists().where(CommentRow.space_id == of.space_id, CommentRow.revision_id == of.id),
        ~exists().where(RequestedReviewerRow.revision_id == of.id),
        ~exists().where(ReviewRow.revision_id == of.id),
    )
