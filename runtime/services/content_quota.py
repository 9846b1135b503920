"""Limits of the content of a space and an organization, including earlier revisions.

Callers hold the lock of the space's content. What is written at the same moment into other spaces of its organization
is not seen, so that an organization may go over its limit by what its requests and imports under way bring.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services import quotas
from runtime.store import rows
from runtime.store.blobs.store import files_of
from runtime.store.content import collecting, sizes
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

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
FULL_ORGANIZATION = (
    "The content and files of this organization, including earlier revisions, have {there:.1f} GB, and this host "
    "allows {most:g} GB. Delete spaces that nobody needs, which are removed for good after 7 days, or ask who runs "
    "the host for more (DEVKIT_ORGANIZATION_STORAGE)."
)
GB = 1 << 30

_most_of_organization: float = 0


def use_organization_storage(gigabytes: float) -> None:
    """Set how much content an organization may have, in all of this process; 0 is no limit."""
    global _most_of_organization
    _most_of_organization = gigabytes


def for_organization(session: Session, organization_id: str, more: int = 0) -> None:
    """Check that an organization may have `more` bytes of content; raises BadRequest."""
    if not _most_of_organization:
        return
    there = sizes.organization_size(session, organization_id)
    if there + more >= _most_of_organization * GB:
        raise errors.BadRequest(FULL_ORGANIZATION.format(there=there / GB, most=_most_of_organization))


def _for_organization_of(session: Session, space_id: str, more: int = 0) -> None:
    space = rows.find(session, HOST, SpaceRow, id=space_id)
    if space is not None:  # one that was removed meanwhile has its own answer
        for_organization(session, space.organization_id, more)


def for_files(session: Session, space_id: str, new: Mapping[str, int]) -> None:
    """Check the limits for new files (blob -> bytes); raises BadRequest."""
    there, size = files_of(session, space_id)
    if there + len(new) > MAX_BLOBS:
        raise errors.BadRequest(FULL_OF_FILES.format(most=f"{MAX_BLOBS:,}"))
    if size + sum(new.values()) > MAX_BYTES:
        raise errors.BadRequest(FULL_OF_BYTES)
    _for_organization_of(session, space_id, sum(new.values()))


def for_documents(session: Session, space_id: str) -> None:
    """Check that documents may be written, up to the size of one request or import; raises BadRequest.

    A merge asks for no room: what it writes was let in before, except for what blocks of both sides become together.
    """
    if sizes.size_of(session, space_id) >= MAX_DOCUMENTS:
        raise errors.BadRequest(FULL_OF_DOCUMENTS.format(most=f"{MAX_DOCUMENTS:,}"))
    _for_organization_of(session, space_id)


def for_revisions(session: Session, space_id: str) -> None:
    """Check that one more revision is allowed; raises BadRequest.

    A merge asks for none: there are as many as change requests.
    """
    quotas.enforce(session, RevisionRow, MAX_REVISIONS, FULL_OF_REVISIONS, space_id=space_id)
