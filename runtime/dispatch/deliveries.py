"""Finds the plan for a queued event, and caches plans until something that they contain changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from sqlalchemy.orm import Session

from runtime.dispatch.planning import Level, Plan, Planner
from runtime.store import rows
from runtime.store.claims import Claimed
from runtime.store.database import Database
from runtime.store.epoch_cache import Basis, EpochCache
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow

KEPT_PLANS = 5_000
HEAVIEST = 128 * 1024 * 1024
"""Limit, in bytes, of all cached plans with their scripts: environments contain manifests and configurations, which
may be long, and are repeated for all spaces of an installation."""


class Plans:
    """Plans by key, dropped when an epoch that they depend on advances or their tokens are about to expire."""

    def __init__(self, database: Database, planner: Planner) -> None:
        self._planner = planner
        self._kept: EpochCache[Plan | None] = EpochCache(
            database, _owner, KEPT_PLANS, heaviest=HEAVIEST, weigh=lambda plan: {} if plan is None else plan.parts
        )

    def get(self, key: Hashable, basis: Basis, find: Callable[[Session], Level | None]) -> Plan | None:
        """Return the cached plan of a key, or create it for the level that `find` returns; None if it returns none.

        `find` reads the rows of the level in the session it is given, so that the plan holds as long as they do.
        """

        def make(session: Session) -> Plan | None:
            level = find(session)
            if level is None:
                return None
            rows_ = (level.integration, level.installation, level.space, level.site)
            if any(row is not None and row not in session for row in rows_):
                raise LookupError(
                    "the rows of a plan must be loaded in the session it is made in, or nobody knows when they change"
                )
            return self._planner.plan(session, level)

        return self._kept.get(key, basis, make, lambda plan: plan is not None and plan.fresh)


def _owner(_key: Hashable, plan: Plan | None) -> str:
    return "" if plan is None else plan.organization_id


class Deliveries:
    """Plans for queued events."""

    def __init__(self, database: Database, plans: Plans) -> None:
        self._database, self._plans = database, plans

    def plan_for(self, event: Claimed, payload: dict[str, Any]) -> Plan | None:
        """Return the plan for an event; None if its integration or installation was purged."""
        space, site = payload.get("spaceId"), payload.get("siteId")

        def find(session: Session) -> Level | None:
            return level_of(session, event.integration_id, event.installation_id, space, site)

        key = (event.integration_id, event.installation_id, space, site)
        return self._plans.get(key, self._database.basis(), find)


def level_of(
    session: Session, integration_id: str, installation_id: str | None, space_id: str | None, site_id: str | None
) -> Level | None:
    """Find the level that an event is for, including uninstalled parts: their scripts may clean up."""
    integration = rows.find(session, HOST, IntegrationRow, id=integration_id)
    if integration is None:
        return None
    if installation_id is None:
        return Level(integration)
    installation = rows.find(session, HOST, InstallationRow, id=installation_id)
    if installation is None:
        return None
    return Level(
        integration,
        installation,
        _latest(session, SpaceInstallationRow, installation_id, space_id=space_id) if space_id else None,
        _latest(session, SiteInstallationRow, installation_id, site_id=site_id) if site_id else None,
    )


def _latest(session: Session, table: Any, installation_id: str, **by: str) -> Any:
    """Return the active one of a part that was installed more than once, otherwise the last one."""
    found = rows.every(session, HOST, table, installation_id=installation_id, **by)
    alive = [row for row in found if row.deleted_at is None]
    return (alive or found or [None])[-1]
