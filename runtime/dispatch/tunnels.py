"""Whether development mode still has a developer: it ends with the tunnel's lease (docs/contract/api.md, "Limits")."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.orm import Session

from runtime.store import rows, tunnels
from runtime.store.database import Database
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow

_log = logging.getLogger(__name__)

RECHECK = 1.0
"""Seconds for which a lease is cached; leases are much longer."""
MOST_SEEN = 1000
"""Leases that are cached; who changes the address again and again does not fill the memory."""


class Tunnels:
    """Looks up leases; safe to use from many threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def open(self, integration_id: str, url: str) -> str | None:
        """Return the address for events of development mode; None, and the mode ends, if its developer is gone."""
        key = integration_id, url
        with self._lock:
            if self._seen.get(key, 0.0) > time.monotonic():
                return url
        with self._database.transaction(writes=False) as session:
            integration = _developed(session, integration_id, url)
            lapsed = integration is not None and tunnels.lease_state(session, integration) == "lapsed"
        if integration is None:  # somebody has turned it off since the call was planned
            return None
        with self._lock:
            if not lapsed:
                if len(self._seen) >= MOST_SEEN:
                    self._seen.clear()
                self._seen[key] = time.monotonic() + RECHECK
                return url
            self._seen.pop(key, None)
        _log.info(
            "development mode through %s ended: its lease expired, or whoever turned it on is not known, as after an "
            "upgrade, or no longer an administrator",
            url,
        )
        with self._database.transaction(writes=True) as session:
            integration = _developed(session, integration_id, url)
            if integration is None:
                return None
            rows.lock(session, integration)  # it may be turned on anew at the same moment
            if integration.tunnel_url == url and tunnels.lease_state(session, integration) == "lapsed":
                integration.tunnel_url, integration.tunnel_all, integration.tunnel_by = None, False, None
        return None


def _developed(session: Session, integration_id: str, url: str) -> IntegrationRow | None:
    """Return the integration if its events go to this address."""
    integration = rows.find(session, HOST, IntegrationRow, id=integration_id)
    return integration if integration is not None and integration.tunnel_url == url else None
