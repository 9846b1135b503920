"""What a host lets be stored: how much of one organization, and on which disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

KEY = "storage limits"


@dataclass(frozen=True, slots=True)
class StorageLimits:
    """Gigabytes that one organization may store, 0 for any number; and where the database is, None if elsewhere."""

    organization_gigabytes: float = 0
    folder: Path | None = None


NO_LIMITS = StorageLimits()


def limits_of(session: Session) -> StorageLimits:
    """Return the limits that the database of a session was opened with; `create_app` gives it those of the settings."""
    limits: StorageLimits = session.info.get(KEY, NO_LIMITS)
    return limits
