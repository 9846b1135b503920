"""The limit of what one organization stores, so that none fills the disk of all.

What is written at the same moment by others in the organization is not seen: it may go over its limit by what its
requests and background jobs under way bring.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.store import organization_storage as stored
from runtime.store import rows
from runtime.store.disk import has_room
from runtime.store.reach import HOST
from runtime.store.tables.spaces import SpaceRow

GB = 1 << 30
FULL = (
    "This organization stores {there:.1f} GB in content, files, versions of integrations and API specifications, with "
    "all that came before, and this host allows {most:g} GB. Delete spaces that nobody needs, which are removed for "
    "good after 7 days, or ask who runs the host for more (DEVKIT_ORGANIZATION_STORAGE)."
)

DISK_FULL = (
    "The disk of this host is almost full, or cannot be reached: nothing new is taken. Whoever runs the host must make "
    "room. What is there can be read and deleted."
)

_gigabytes: float = 0
_folder: Path | None = None


def use_limit(gigabytes: float, folder: Path | None) -> None:
    """Set how much one organization may store, for all of this process; 0 is no limit.

    `folder` is where the database is, on whose disk some room is kept; None where that is on another machine.
    """
    global _gigabytes, _folder
    _gigabytes, _folder = gigabytes, folder


def enforce_room() -> None:
    """Raise Unavailable while the disk of the database is almost full: what can wait leaves the rest to what cannot."""
    try:
        room = _folder is None or has_room(_folder)
    except OSError:  # it cannot be reached
        room = False
    if not room:
        raise errors.Unavailable(DISK_FULL)


def enforce(session: Session, organization_id: str, more: int = 0) -> None:
    """Check that an organization may store `more` bytes; raises BadRequest, and as `enforce_room` does."""
    enforce_room()
    if not _gigabytes:
        return
    there = stored.size_of(session, organization_id)
    if there + more >= _gigabytes * GB:
        raise errors.BadRequest(FULL.format(there=there / GB, most=_gigabytes))


def enforce_for_space(session: Session, space_id: str, more: int = 0) -> None:
    """Check that the organization of a space may store `more` bytes; raises as `enforce` does."""
    space = rows.find(session, HOST, SpaceRow, id=space_id)
    if space is not None:  # one that was removed meanwhile has its own answer
        enforce(session, space.organization_id, more)
