"""Candidates for an event: the installations of an organization, cached until one of them changes."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.store import installed
from runtime.store.database import Database
from runtime.store.epoch_cache import Basis, EpochCache
from runtime.store.installed import Installed

KEPT = 2_000
"""Integrations whose installations are cached."""
HEAVIEST = 64 * 1024 * 1024
"""Limit, in bytes, of all cached installations: each names the spaces and sites it is on."""
PART = 150
"""Approximate bytes in memory of a space or site in an installation."""


def _parts(one: Installed) -> int:
    return 1 + len(one.spaces) + len(one.sites)


class Candidates:
    """Installations by organization and integration, dropped when an epoch that they depend on advances."""

    def __init__(self, database: Database) -> None:
        self._kept: EpochCache[list[Installed]] = EpochCache(
            database,
            lambda key, _: str(key[0]),
            KEPT,
            heaviest=HEAVIEST,
            weigh=lambda found: {id(found): PART * sum(map(_parts, found))},
        )

    def of(self, organization_id: str, integration_id: str, basis: Basis) -> list[Installed]:
        """List the installations of an integration in an organization, oldest first."""

        def make(session: Session) -> list[Installed]:
            return installed.in_organization(session, organization_id, integration_id)

        return self._kept.get((organization_id, integration_id), basis, make)
