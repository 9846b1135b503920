"""Purges expired data in small batches: what was uninstalled or deleted long ago, and what has expired."""

from __future__ import annotations

import logging
from datetime import timedelta

from runtime.contract.spaces import RESTORABLE_DAYS
from runtime.engines.threads import RepeatingThread
from runtime.store import deleted_spaces, expired, orphaned_users, pdfs, queue, uninstalled
from runtime.store.blobs.store import BlobStore
from runtime.store.content import collecting
from runtime.store.database import Database, now
from runtime.store.tables.invites import EmailInviteRow, InviteEmailRow
from runtime.store.tables.organizations import TokenRow
from runtime.store.tables.saml import SamlSignInRow

log = logging.getLogger(__name__)

KEPT = timedelta(days=30)
"""How long an installation is kept after it was uninstalled."""
SPACES_KEPT = timedelta(days=RESTORABLE_DAYS)
"""How long a space is kept after it was deleted; until then it can be restored."""
PDFS_KEPT = timedelta(days=2)
"""How long a PDF is kept after somebody asked for it."""
EVERY = 3600.0
PAUSE = 1.0
BATCH = 50
"""Installations of each kind, or spaces, deleted in one transaction; others can write in between."""
BLOB_BATCH = 500
"""Blobs deleted between two pauses: an import stores more than a hundred in a second."""
USER_BATCH = 500
"""People removed in one transaction; each such change invalidates the caches of all organizations."""


class Purger:
    """The thread that purges; processes that share a database may all have one."""

    def __init__(self, database: Database, blobs: BlobStore, keep_events: int) -> None:
        self._database, self._blobs, self._keep_events = database, blobs, keep_events
        self._collected = ""
        self._more = False
        self._thread = RepeatingThread(
            "purging", self._round, log=log, failed="expired data could not be purged; trying again", retry=EVERY
        )

    def start(self) -> None:
        """Start, with a first check at once."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the current batch."""
        self._thread.close()

    def _round(self) -> float:
        continued, self._more = self._more, False
        if not continued:
            self.purge_events()
        self._collected = collecting.collect_some(self._database, self._collected)
        found = max(self.purge(), self.purge_spaces(), self.purge_pdfs())
        users, blobs = self.purge_orphaned_users(), self._blobs.sweep(BLOB_BATCH)
        self._more = found >= BATCH or users >= USER_BATCH or blobs >= BLOB_BATCH or bool(self._collected)
        return PAUSE if self._more else EVERY

    def purge(self) -> int:
        """Purge one batch; returns the largest number of rows of one kind that were deleted."""
        ending: tuple[type[expired.Ends], ...] = (EmailInviteRow, InviteEmailRow, TokenRow, SamlSignInRow)
        return max(self._uninstalled(), *map(self._expired, ending))

    def purge_events(self) -> None:
        """Delete the oldest finished events of integrations that have too many, whichever process wrote them."""
        with self._database.transaction(writes=False) as session:
            crowded = queue.crowded(session, self._keep_events)
        for integration_id in crowded:
            if self._thread.stopping.is_set():
                return
            with self._database.transaction(writes=True) as session:
                queue.prune(session, integration_id, self._keep_events)

    def purge_orphaned_users(self) -> int:
        """Remove one batch of people without organization and content; returns how many were found."""
        with self._database.transaction(writes=False) as session:
            found = orphaned_users.find(session, USER_BATCH)
        if found:
            with self._database.transaction(writes=True) as session:
                orphaned_users.remove(session, found)
        return len(found)

    def purge_pdfs(self) -> int:
        """Delete PDFs that nobody requested recently; returns how many."""
        with self._database.transaction(writes=True) as session:
            return pdfs.forget(session, now() - PDFS_KEPT, BATCH)

    def _expired(self, table: type[expired.Ends]) -> int:
        with self._database.transaction(writes=False) as session:
            gone = expired.find(session, table, now(), BATCH)
        if gone:
            with self._database.transaction(writes=True) as session:
                expired.remove(session, table, gone, now())
        return len(gone)

    def _uninstalled(self) -> int:
        with self._database.transaction(writes=False) as session:
            gone = uninstalled.find(session, now() - KEPT, BATCH)
        if gone.count:
            with self._database.transaction(writes=True) as session:
                uninstalled.remove(session, gone)
            log.info("purged %d installations that were uninstalled %d days ago", gone.count, KEPT.days)
        return gone.count

    def purge_spaces(self) -> int:
        """Remove one batch of deleted spaces for good; returns how many were found."""
        before = now() - SPACES_KEPT
        with self._database.transaction(writes=False) as session:
            found = deleted_spaces.overdue(session, before, BATCH)
        if found:
            with self._database.transaction(writes=True) as session:
                removed = deleted_spaces.remove(session, found, before)
            log.info("purged %d spaces that were deleted %d days ago", removed, SPACES_KEPT.days)
        return len(found)
