"""Purges what was uninstalled long ago, a little at a time: its configuration is nobody's business any more."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from sqlalchemy.exc import SQLAlchemyError

from runtime.store import uninstalled
from runtime.store.database import Database, now

log = logging.getLogger(__name__)

KEPT = timedelta(days=30)
"""How long an installation is kept after it was uninstalled."""
EVERY = 3600.0
PAUSE = 1.0
BATCH = 50
"""Installations of each kind that go in one transaction; between two of them others get to write."""


class Purger:
    """The thread that purges; processes that share a database may all have one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="purging", daemon=True)

    def start(self) -> None:
        """Begin, with a look at once."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the batch under way."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                more = self.purge() >= BATCH
            except SQLAlchemyError:
                log.exception("what was uninstalled could not be purged; trying again")
                more = False
            self._stopping.wait(PAUSE if more else EVERY)

    def purge(self) -> int:
        """Purge one batch; returns how many installations of any kind went."""
        with self._database.transaction(writes=False) as session:
            gone = uninstalled.find(session, now() - KEPT, BATCH)
        if gone.count:
            with self._database.transaction(writes=True) as session:
                uninstalled.remove(session, gone)
            log.info("purged %d installations that were uninstalled %d days ago", gone.count, KEPT.days)
        return gone.count
