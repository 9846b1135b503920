"""The limit of what one organization stores, so that none fills the disk of all.

What is written at the same moment by others in the organization is not seen: it may go over its limit by what its
requests and background jobs under way bring.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.spaces import RESTORABLE_DAYS
from runtime.contract.units import bytes_text
from runtime.services import disk_room
from runtime.store import organization_storage as stored
from runtime.store import rows
from runtime.store.reach import HOST
from runtime.store.storage_limits import limits_of
from runtime.store.tables.spaces import SpaceRow

GB = 1 << 30
LEEWAY = 0.1
"""By what share of a limit deletions and moves may exceed it: they are stored as revisions, too."""
FULL = (
    "This organization stores {there} of the {most} that this host allows{needs}. To free space at once, delete "
    f"comments, API specifications or whole integrations. Deleted spaces count for {RESTORABLE_DAYS} more days. Or ask "
    "whoever runs the host to raise DEVKIT_ORGANIZATION_STORAGE."
)

STORED_TODAY = (
    "Files of {there} were stored for this organization within a day (uploads, imports, PDFs, API specifications)"
    "{needs}; this host allows {most}. Try again later, or ask whoever runs the host to raise "
    "DEVKIT_ORGANIZATION_STORAGE."
)


def enforce(session: Session, organization_id: str, more: int = 0, *, grows: bool = True) -> None:
    """Check that an organization may store `more` bytes; raises BadRequest, and Unavailable on a full disk.

    With `grows=False`, for what only deletes or moves, the disk is not looked at, and the limit may be exceeded by
    `LEEWAY`.
    """
    if grows:
        disk_room.enforce(session)
    most = _most(session)
    if not most:
        return
    there = stored.size_of(session, organization_id)
    if there + more >= most * (1 if grows else 1 + LEEWAY):
        raise errors.BadRequest(FULL.format(there=bytes_text(there), most=bytes_text(most), needs=_needs(more)))


def enforce_for_files(session: Session, organization_id: str, more: int = 0) -> None:
    """Check that `more` bytes of files may be stored for an organization; raises as `enforce` does.

    What nothing refers to any longer stays on the disk for a day, where it is not deleted at once: so no more may come
    within a day than may be stored at all.
    """
    enforce(session, organization_id, more)
    most = _most(session)
    if most and (there := stored.sent_lately(session, organization_id)) + more >= most:
        text = STORED_TODAY.format(there=bytes_text(there), most=bytes_text(most), needs=_needs(more))
        raise errors.BadRequest(text)


def _most(session: Session) -> float:
    """Return how many bytes an organization may store; 0 for any number."""
    return limits_of(session).organization_gigabytes * GB


def _needs(more: int) -> str:
    return f", and this needs {bytes_text(more)} more" if more > 0 else ""


def enforce_for_space(session: Session, space_id: str, more: int = 0, *, grows: bool = True) -> None:
    """Check that the organization of a space may store `more` bytes; raises as `enforce` does."""
    space = rows.find(session, HOST, SpaceRow, id=space_id)
    if space is not None:  # one that was removed meanwhile has its own answer
        enforce(session, space.organization_id, more, grows=grows)
