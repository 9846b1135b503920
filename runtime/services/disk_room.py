"""Room on the disk of the database: what would store something new leaves some to what cannot wait."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.store.disk import has_room
from runtime.store.storage_limits import StorageLimits, limits_of

FULL = (
    "The host's disk is almost full or cannot be reached, so nothing new can be stored. Whoever runs the host must "
    "free some space; you can still read and delete."
)


def enforce(session: Session) -> None:
    """Raise Unavailable while the disk is almost full; asked each time, which takes microseconds."""
    enforce_on(limits_of(session))


def enforce_on(limits: StorageLimits) -> None:
    """Do the same outside of a transaction."""
    try:
        room = limits.folder is None or has_room(limits.folder)
    except OSError:  # it cannot be reached
        room = False
    if not room:
        raise errors.Unavailable(FULL)
