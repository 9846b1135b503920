"""Purges what is over, a little at a time: what was uninstalled or deleted long ago, and what has a time that is up."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from runtime.store import deleted_spaces, expired, orphaned_users, pdfs, queue, uninstalled
from runtime.store.blobs.store import BlobStore
from runtime.store.content import collecting
from runtime.store.database import Database, now
from runtime.store.tables.invites import EmailInviteRow
from runtime.store.tables.organizations import TokenRow
from runtime.store.tables.saml import SamlSignInRow

log = logging.getLogger(__name__)

KEPT = timedelta(days=30)
"""How long an installation is kept after it was uninstalled."""
SPACES_KEPT = timedelta(days=7)
"""How long a space is kept after it was deleted; until then it can be restored."""
PDFS_KEPT = timedelta(days=2)
"""How long a PDF is kept after somebody asked for it."""
EVERY = 3600.0
PAUSE = 1.0
BATCH = 50
"""Installations of each kind, or spaces, that go in one transaction; between two of them others get to write."""
USER_BATCH = 500
"""People removed in one transaction: each such change empties what hosts have cached of all organizations."""


class Purger:
    """The thread that purges; processes that share a database may all have one."""

    def __init__(self, database: Database, blobs: BlobStore, keep_events: int) -> None:
        self._database, self._blobs, self._keep_events = database, blobs, keep_events
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
        collected = ""
        more = False
        while not self._stopping.is_set():
            try:
                if not more:
                    self.purge_events()
                collected = collecting.collect_some(self._database, collected)
                more = max(
                    self.purge(), self.purge_spaces(), self.purge_pdfs(), self._blobs.sweep(BATCH)
                ) >= BATCH or bool(collected)
                more = self.purge_orphaned_users() >= USER_BATCH or more
            except Exception:  # whatever it is, what this thread does must go on
                log.exception("what is over could not be purged; trying again")
                more = False
            self._stopping.wait(PAUSE if more else EVERY)

    def purge(self) -> int:
        """Purge one batch; returns how many rows of the kind went of which most did."""
        return max(
            self._uninstalled(), self._expired(EmailInviteRow), self._expired(TokenRow), self._expired(SamlSignInRow)
        )

    def purge_events(self) -> None:
        """Forget the oldest ended events of integrations that have more than are kept, whichever process left them."""
        with self._database.transaction(writes=False) as session:
            crowded = queue.crowded(session, self._keep_events)
        for integration_id in crowded:
            if self._stopping.is_set():
                return
            with self._database.transaction(writes=True) as session:
                queue.prune(session, integration_id, self._keep_events)

    def purge_orphaned_users(self) -> int:
        """Remove one batch of people who are in no organization and left nothing; returns how many were found."""
        with self._database.transaction(writes=False) as session:
            found = orphaned_users.find(session, USER_BATCH)
        if found:
            with self._database.transaction(writes=True) as session:
                orphaned_users.remove(session, found)
        return len(found)

    def purge_pdfs(self) -> int:
        """Let go of PDFs that nobody asked for of late; returns how many went."""
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
