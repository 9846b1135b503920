"""Writes calls that somebody waited for to the event log, in batches, after they were answered."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.exc import IntegrityError

from runtime.contract.event_descriptions import ending, subject
from runtime.contract.event_privacy import withheld_payload
from runtime.contract.masking import BY_SHAPE
from runtime.contract.timestamps import wire_time
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.batches import write_all
from runtime.dispatch.retention import Retention
from runtime.engines import time_slices
from runtime.engines.interpreter_turns import Waiting
from runtime.store import queue
from runtime.store.availability import is_away
from runtime.store.database import Database

log = logging.getLogger(__name__)

BATCH = 500
PAUSE = 0.05
MAX_WAITING = 5_000
WAITS = ("pending", "failed")
ELSEWHERE = 2 * PAUSE
"""Seconds after which other processes have written what they recorded, unless they are very busy."""
PATIENCE = 30.0
"""Seconds for which a call is kept that cannot be written because the database is away; then it is lost, and logged."""
LAST_TRIES = 5.0
"""The same where the host stops."""
RETRY = 0.5
LONGEST_FLUSH = 0.5
"""Seconds that a reader waits for recorded calls to be written, minus the time that the writer is already blocked."""


class Recorder:
    """A buffer and the thread that empties it; `record` waits when the database cannot keep up.

    While the database is away calls wait for it, for at most `PATIENCE` seconds since it was last there; scripts go on
    until `MAX_WAITING` calls wait.
    """

    def __init__(self, database: Database, announcer: Announcer, keep: int, *, alone: bool = True) -> None:
        self._database = database
        self._announcer, self._alone = announcer, alone
        self._retention = Retention(keep)
        self._waiting: deque[tuple[str, dict[str, Any]]] = deque()
        self._written = 0
        self._writing_since: float | None = None
        self._away_since: float | None = None
        self._tried: set[str] = set()
        self._moving = threading.Lock()
        self._hurry = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def record(self, integration: str, row: dict[str, Any]) -> None:
        """Add one row to the event log; `integration` is the name for its listeners."""
        while len(self._waiting) >= MAX_WAITING and self._thread.is_alive():
            time.sleep(PAUSE / 5)
        self._waiting.append((integration, row))

    def flush(self) -> None:
        """Wait until everything recorded so far is written, or lost.

        At most `LONGEST_FLUSH` seconds, also if the database is locked: what is not written by then is read the next
        time. With several processes, `ELSEWHERE` seconds more for theirs: a reader's calls may be answered there.
        """
        began = time.monotonic()
        with self._moving:
            goal = self._written + len(self._waiting)
        until = began + LONGEST_FLUSH
        with Waiting():
            while self._written < goal and self._thread.is_alive():
                since, moment = self._writing_since, time.monotonic()
                if moment >= until or (since is not None and moment - since >= LONGEST_FLUSH):
                    return
                self._hurry.set()
                time.sleep(0.001)
            if not self._alone:
                time.sleep(max(0.0, began + ELSEWHERE - time.monotonic()))

    def close(self) -> None:
        """Write the remaining calls and stop the thread."""
        self._stopping.set()
        self._hurry.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        time_slices.answer_soon()
        # A pause before each batch: writing what has just come in, a few rows each time, would cost as much as the
        # calls themselves.
        while not self._stopping.is_set():
            if len(self._waiting) < BATCH:
                self._hurry.wait(PAUSE)
                self._hurry.clear()
            self._write_some()
        while self._waiting:
            self._write_some()

    def _write_some(self) -> None:
        batch = [self._waiting[place] for place in range(min(BATCH, len(self._waiting)))]
        if not batch:
            return
        self._writing_since = time.monotonic()
        left = list(batch)
        while not self._write_down(left):
            if not self._may_come_back():
                log.error("%d calls are missing in the event log: the database was away for too long", len(left))
                break
            time.sleep(RETRY)
        self._writing_since = None
        with self._moving:
            for _ in batch:
                self._waiting.popleft()
            self._written += len(batch)
        self._tell(batch)

    def _write_down(self, calls: list[tuple[str, dict[str, Any]]]) -> bool:
        """Write calls; returns False where the database is away, and leaves in the list those not written yet.

        What cannot be written whatever the database does is logged, and left out.
        """
        written = set[str]()

        def write(part: Sequence[tuple[str, dict[str, Any]]]) -> None:
            self._write(part)
            written.update(row["id"] for _, row in part)

        try:
            for call, error in write_all(tuple(calls), write):
                if call[1]["id"] not in self._tried or not isinstance(error, IntegrityError):
                    log.error("a call could not be recorded", exc_info=error)
        except Exception as error:  # whatever the error is, this thread must go on
            if not is_away(error):
                log.exception("%d calls could not be recorded", len(calls))
                return True
            calls[:] = [call for call in calls if call[1]["id"] not in written]
            # The answer to their commit may be all that was lost: then they are there already.
            self._tried.update(row["id"] for _, row in calls)
            if self._away_since is None:
                self._away_since = time.monotonic()
                log.exception("%d calls could not be recorded; trying again", len(calls))
            return False
        self._away_since = None
        self._tried.clear()
        return True

    def _may_come_back(self) -> bool:
        since = self._away_since
        return since is None or time.monotonic() - since < (LAST_TRIES if self._stopping.is_set() else PATIENCE)

    def _write(self, batch: Sequence[tuple[str, dict[str, Any]]]) -> None:
        moment = time.time()
        with self._database.transaction(writes=True) as session:
            queue.add(session, [row | {"ended_at": moment} for _, row in batch])
            count = self._retention.ended(session, ((row["integration_id"], _size(row)) for _, row in batch))
        count()

    def _tell(self, batch: list[tuple[str, dict[str, Any]]]) -> None:
        for integration, row in batch:
            try:
                if self._announcer.heard(integration):
                    self._announcer.announce(integration, "event", summary(row))
            except Exception:  # whatever the error is, this thread must go on
                log.exception("those who watch could not be told of call %s", row["id"])


def _size(row: dict[str, Any]) -> int:
    return sum(len(row.get(name) or "") for name in ("payload", "trace", "body"))


def summary(row: dict[str, Any]) -> dict[str, Any]:
    """Return one line of the event list, as pages show it: whoever looks, what belongs to an installation stays out."""
    created, payload = row["created_at"], json.loads(row["payload"])
    if row["installation_id"] is not None:
        payload = withheld_payload(payload)
    return {
        "id": row["id"],
        "type": row["type"],
        "createdAt": created.isoformat(),
        "installationId": row["installation_id"],
        "subject": BY_SHAPE.text(subject(payload)),
        "ending": ending(row["type"], row["state"], row.get("answer")),
        "answer": row.get("answer"),
        "dueAt": wire_time(datetime.fromtimestamp(row["due_at"], UTC)) if row["state"] in WAITS else None,
        "status": "success" if row["state"] == "delivered" else "failed",
        "durationMs": row["duration_ms"],
    }
