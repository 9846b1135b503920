"""Followers of integrations: while an integration is followed, every process records all of its calls."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.contract.identifiers import new_id
from runtime.engines.threads import RepeatingThread
from runtime.store import followed
from runtime.store.database import Database

log = logging.getLogger(__name__)

LOOK_EVERY = 0.25
"""Seconds between two reads of the followers in other processes."""
KNOWN = 1.0
"""Seconds for which a read is valid. After that, a process treats every integration as followed."""
LEASE = 20.0


class Followers:
    """The followers in this process, and in the others that serve from its database; safe to use from many threads."""

    def __init__(self, database: Database, *, alone: bool) -> None:
        """Take the database; with `alone`, no other process serves from it, and it is not read."""
        self._database, self._alone = database, alone
        self._process = new_id()
        self._here: Counter[str] = Counter()
        self._elsewhere: frozenset[str] = frozenset()
        self._looked = float("-inf")
        self._renewed = time.monotonic()
        self._changing = threading.Lock()
        self._leasing = threading.Lock()
        self._thread = RepeatingThread(
            "followers",
            self._look,
            log=log,
            failed="the list of followed integrations could not be read; every call is recorded until it can",
            retry=LOOK_EVERY,
        )
        if not alone:
            self._thread.start()

    def follows(self, integration_id: str) -> bool:
        """Return whether somebody may be following an integration, here or elsewhere."""
        if integration_id in self._here:
            return True
        if self._alone:
            return False
        return integration_id in self._elsewhere or time.monotonic() - self._looked > KNOWN

    @contextmanager
    def follow(self, integration_id: str) -> Iterator[None]:
        """Follow an integration; once entered, every process records all of its calls."""
        with self._changing:
            self._here[integration_id] += 1
        try:
            if not self._alone:
                with self._leasing, self._database.transaction(writes=True) as session:
                    followed.follow(session, self._process, integration_id, time.time() + LEASE)
                # By then every other process has read the followers, or its last read is no longer valid.
                self._thread.stopping.wait(KNOWN)
            yield
        finally:
            with self._changing:
                self._here[integration_id] -= 1
                if not self._here[integration_id]:
                    del self._here[integration_id]  # the lease expires: somebody else here may have just begun

    def close(self) -> None:
        """End the thread."""
        self._thread.close()

    def _look(self) -> float:
        began = time.monotonic()
        self._renew(began)
        with self._database.transaction(writes=False) as session:
            self._elsewhere = followed.followed(session)
        self._looked = began
        return LOOK_EVERY

    def _renew(self, moment: float) -> None:
        if moment - self._renewed < LEASE / 4:
            return
        with self._changing:
            here = set(self._here)
        if here:
            with self._database.transaction(writes=True) as session:
                followed.renew(session, self._process, here, time.time() + LEASE)
        self._renewed = moment
