"""Room on the disk of the database: what would store something new leaves some to what cannot wait."""

from __future__ import annotations

from pathlib import Path

from runtime.contract import errors
from runtime.store.disk import has_room

FULL = (
    "The host's disk is almost full or cannot be reached, so nothing new can be stored. Whoever runs the host must "
    "free some space; you can still read and delete."
)

_folder: Path | None = None


def use_folder(folder: Path | None) -> None:
    """Set where the database is, for all of this process; None where it is on another machine."""
    global _folder
    _folder = folder


def enforce() -> None:
    """Raise Unavailable while the disk is almost full; asked each time, which takes microseconds."""
    try:
        room = _folder is None or has_room(_folder)
    except OSError:  # it cannot be reached
        room = False
    if not room:
        raise errors.Unavailable(FULL)
