"""Reads the content of spaces: revisions, and pages with their documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services import organization_storage
from runtime.store import rows
from runtime.store.content import revisions
from runtime.store.content.entries import Page, ReusableContent
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.reach import HOST, Reach
from runtime.store.tables.content import RevisionRow, previewed
from runtime.store.tables.spaces import SpaceRow

MAX_COPIED = 64 << 20
"""Bytes that are copied at once, as they are stored, while others wait with what they write: half a second."""
TOO_LARGE = (
    f"The current content of this space has more than {MAX_COPIED >> 20} MB, as it is stored, the most that is "
    "copied at once; export it, and import it into a new space."
)
EMPTY: Mapping[str, Any] = {"object": "document", "data": {}, "nodes": []}
"""The document of a page without one."""


def begin(session: Session, space: SpaceRow) -> RevisionRow:
    """Create the first, empty revision of a new space."""
    return revisions.write(session, space.id, Snapshot(), id=space.revision_id)


def copy(session: Session, space: SpaceRow, to: SpaceRow) -> RevisionRow:
    """Create the first revision of a new space from the current content of another.

    Raises BadRequest for more than others should wait for.
    """
    row = current(session, space)
    size = revisions.packed_size(session, row)
    if size > MAX_COPIED:
        raise errors.BadRequest(TOO_LARGE)
    files = snapshot_of(session, row).files
    organization_storage.enforce(session, to.organization_id, size + sum(file.size for file in files))
    return revisions.copy(session, row, to.id, id=to.revision_id)


def current(session: Session, space: SpaceRow) -> RevisionRow:
    """Find the current revision of a space."""
    row = rows.find(session, HOST, RevisionRow, id=space.revision_id, space_id=space.id)
    if row is None:
        raise LookupError(f"the space {space.id} has no revision {space.revision_id}")
    return row


def page_in(snapshot: Snapshot, page_id: str) -> Page:
    """Find a page by its id; raises NotFound."""
    page = snapshot.page_by_id.get(page_id)
    if page is None:
        raise errors.NotFound(f"There is no page `{page_id[:60]}` in this revision.")
    return page


def page_at(snapshot: Snapshot, path: str) -> Page:
    """Find a page by its path, which may begin and end with slashes; raises NotFound."""
    page = snapshot.page_by_path.get(path.strip("/"))
    if page is None:
        raise errors.NotFound(f"There is no page at `{path[:200]}` in this revision.")
    return page


def reusable_content_in(snapshot: Snapshot, content_id: str) -> ReusableContent:
    """Find a reusable content by its id; raises NotFound."""
    content = snapshot.reusable_content_by_id.get(content_id)
    if content is None:
        raise errors.NotFound(f"There is no reusable content `{content_id[:60]}` in this revision.")
    return content


def may_read(session: Session, reach: Reach, space: SpaceRow, name: str) -> bool:
    """Return whether an actor may read a document by its id: of visitors, one that a revision they see has."""
    if reach.kind != "visitor":
        return True
    shown = [space.revision_id, space.previous_id, reach.preview, *session.scalars(previewed(reach))]
    seen = rows.every(session, reach, RevisionRow, RevisionRow.id.in_([one for one in shown if one]), space_id=space.id)
    return any(name in snapshot_of(session, row).documents() for row in seen)


def document_of(session: Session, space_id: str, name: str | None) -> Mapping[str, Any]:
    """Read a document; one that is not named is empty; raises NotFound."""
    if name is None:
        return EMPTY
    found = revisions.documents(session, space_id, [name]).get(name)
    if found is None:
        raise errors.NotFound(f"There is no document `{name[:60]}` in this space.")
    document: Mapping[str, Any] = found
    return document
