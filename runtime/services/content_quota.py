"""Limits of a space's content, including earlier revisions; callers hold the lock of its content."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services import organization_storage, quotas
from runtime.store.content import collecting, sizes
from runtime.store.content.space_files import files_of
from runtime.store.tables.content import RevisionRow

MAX_BYTES, MAX_BLOBS = 10 << 30, 100_000
"""Maximum bytes of all files of a space, and of different ones."""
FULL_OF_BYTES = (
    f"Files of a space have at most {MAX_BYTES >> 30} GB together, including those of earlier revisions; put "
    "new ones into another space."
)
FULL_OF_FILES = (
    "A space has at most {most} different files, including those of earlier revisions; put new ones into another space."
)
MAX_DOCUMENTS = 5 << 30
"""Maximum bytes of the documents of a space, compressed; what several revisions share counts once."""
FULL_OF_DOCUMENTS = (
    "The content of this space and its earlier revisions have {most} bytes, compressed, which is the maximum. Unused "
    f"revisions of change requests are deleted after {collecting.KEPT.days} days; until then, duplicate the space, and "
    "continue in the copy."
)
MAX_REVISIONS, SELDOM = 200_000, 10
"""Maximum revisions of a space, and after how many changes of a change request they are counted again."""
FULL_OF_REVISIONS = (
    "This space has {most} revisions, which is the maximum. Unused revisions of change requests are deleted after "
    f"{collecting.KEPT.days} days; until then, duplicate the space, and continue in the copy."
)


def for_files(session: Session, space_id: str, new: Mapping[str, int]) -> None:
    """Check the limits for new files (blob -> bytes); raises BadRequest."""
    there, size = files_of(session, space_id)
    if there + len(new) > MAX_BLOBS:
        raise errors.BadRequest(FULL_OF_FILES.format(most=f"{MAX_BLOBS:,}"))
    if size + sum(new.values()) > MAX_BYTES:
        raise errors.BadRequest(FULL_OF_BYTES)
    organization_storage.enforce_for_space(session, space_id, sum(new.values()))


def for_documents(session: Session, space_id: str, *, grows: bool = True) -> None:
    """Check that documents may be written, up to the size of one request or import; raises BadRequest.

    A change that does not grow the content (`grows=False`: it only deletes or moves) may exceed the limit a little. A
    merge is not checked: what it writes was let in before, except for what blocks of both sides become together.
    """
    most = MAX_DOCUMENTS * (1 if grows else 1 + organization_storage.LEEWAY)
    if sizes.size_of(session, space_id) >= most:
        raise errors.BadRequest(FULL_OF_DOCUMENTS.format(most=f"{MAX_DOCUMENTS:,}"))
    organization_storage.enforce_for_space(session, space_id, grows=grows)


def for_revisions(session: Session, space_id: str) -> None:
    """Check that one more revision is allowed; raises BadRequest.

    A merge asks for none: there are as many as change requests.
    """
    quotas.enforce(session, RevisionRow, MAX_REVISIONS, FULL_OF_REVISIONS, space_id=space_id)
