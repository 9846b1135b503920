"""Whether development mode still has a developer: it ends with the tunnel's lease (docs/contract/api.md, "Limits")."""

from __future__ import annotations

import logging
import threading
import time

from runtime.store import tunnels
from runtime.store.database import Database

_log = logging.getLogger(__name__)

RECHECK = 1.0
"""Seconds for which a lease is cached; leases are much longer."""


class Tunnels:
    """Looks up leases; safe to use from many threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[str, float] = {}
        self._lock = threading.Lock()

    def open(self, url: str) -> str | None:
        """Return the address for events of development mode; None, and the mode ends, if its developer is gone."""
        with self._lock:
            if self._seen.get(url, 0.0) > time.monotonic():
                return url
        with self._database.transaction(writes=False) as session:
            standing = tunnels.standing(session, url)
        with self._lock:
            if standing != "lapsed":
                self._seen[url] = time.monotonic() + RECHECK
                return url
            self._seen.pop(url, None)
        _log.info(
            "development mode through %s ended: its lease expired, or its holder is no longer an administrator", url
        )
        with self._database.transaction(writes=True) as session:
            if tunnels.standing(session, url) == "lapsed":  # not renewed in between
                tunnels.end_development(session, url)
        return None
