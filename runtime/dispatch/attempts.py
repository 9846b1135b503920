"""Finished delivery attempts: what is stored about them, and what pages are told."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runtime.contract.invocation import Limits, Outcome, Trace
from runtime.contract.masking import BY_SHAPE, Masker
from runtime.dispatch.batches import write_all
from runtime.dispatch.in_flight import Flight
from runtime.dispatch.recorder import summary
from runtime.dispatch.retention import Retention
from runtime.dispatch.stored_answers import stored_answer
from runtime.dispatch.traces import MAX_BODY, trace_text
from runtime.store import queue
from runtime.store.claims import Claimed
from runtime.store.database import Database

log = logging.getLogger(__name__)


LONG = 16_384
"""Longest payload with logs, in characters, that the writing thread masks, in a few milliseconds each."""


@dataclass(slots=True)
class Attempt:
    """The result of one delivery attempt, with what is stored about it; `ended` in epoch seconds."""

    flight: Flight
    state: str
    integration: str = ""
    answer: int | None = None
    delay: float = 0.0
    trace: Trace | None = None
    seconds: float | None = None
    masker: Masker = BY_SHAPE
    ended: float = 0.0
    outcome: Outcome | None = None
    configured: frozenset[str] = frozenset()
    _values: dict[str, Any] | None = None
    _shown: str | None = None

    @property
    def event(self) -> Claimed:
        """The event that was attempted."""
        return self.flight.event

    @property
    def is_long(self) -> bool:
        """Return whether it takes more than a few milliseconds to mask it."""
        logged = sum(len(line.message) for line in self.trace.logs) if self.trace is not None else 0
        answered = self.outcome.body if self.outcome is not None and self.outcome.status >= 400 else b""
        answer = len(answered) if isinstance(answered, bytes) and len(answered) <= MAX_BODY else 0
        return len(self.event.payload) + logged + answer > LONG

    def prepare(self, limits: Limits, *, told: bool) -> None:
        """Mask it, in the delivering thread, of which an organization has its share.

        One thread stores the attempts of all organizations: if it is slow, all deliveries wait.
        """
        self._values = self.values(limits)
        if told:
            with suppress(Exception):  # which is told where it is shown
                self._masked()

    def values(self, limits: Limits) -> dict[str, Any]:
        """Return the columns of the event's row; the result is stored even if the rest cannot be masked."""
        if self._values is not None:
            return self._values
        kept, trace = None, None
        try:
            # An event that is retried is sent as it was committed; a finished one is only shown.
            masked = self._masked() if self._over else self.event.payload
            kept = None if masked == self.event.payload else masked
            if self.trace is not None and self.seconds is not None:
                created = self.event.created_at
                trace = trace_text(
                    self.trace,
                    limits,
                    self.masker,
                    created,
                    self.seconds,
                    answer=self._refusal(),
                    ended=self.ended,
                    configured=self.configured,
                )
        except Exception:  # one event must not end the thread that stores all of them
            log.exception("the trace of event %s could not be written", self.event.id)
            kept = self._bare() if self._over else None
        return self._columns(trace, kept)

    def _columns(self, trace: str | None, kept: str | None) -> dict[str, Any]:
        return {
            "place": self.event.seq,
            "state": self.state,
            "due_at": self.ended + self.delay,
            "answer": self.answer,
            "duration_ms": self._duration,
            "trace": trace,
            "kept": kept,
        }

    def ending(self) -> dict[str, Any]:
        """Return the same columns where the rest of them cannot be stored: how it ended, and nothing of what it did."""
        return self._columns(None, self._bare() if self._over else None)

    def told(self) -> dict[str, Any]:
        """Return the announcement for pages that show the event's integration."""
        try:
            payload = self._masked()
        except Exception:  # as above
            log.exception("event %s could not be announced to watchers", self.event.id)
            payload = self._bare()
        return summary(
            {
                "id": self.event.id,
                "type": self.event.type,
                "created_at": self.event.created_at,
                "installation_id": self.event.installation_id,
                "state": self.state,
                "duration_ms": self._duration,
                "payload": payload,
                "answer": self.answer,
                "due_at": self.ended + self.delay,
            }
        )

    def _refusal(self) -> dict[str, Any] | None:
        """Return the answer of a script that refused or failed, without secrets."""
        if self.outcome is None or not isinstance(self.outcome.body, bytes):
            return None
        return stored_answer(self.event.type, self.outcome, self.outcome.body, self.masker)

    def _masked(self) -> str:
        if self._shown is None:
            self._shown = self.masker.payload(self.event.payload)
        return self._shown

    def _bare(self) -> str:
        """Return an empty payload, since an unmasked one must not be shown."""
        return json.dumps({"type": self.event.type})

    @property
    def _over(self) -> bool:
        return self.state in ("delivered", "given-up")

    @property
    def _duration(self) -> float | None:
        return None if self.seconds is None else self.seconds * 1000


def store(
    results: Sequence[tuple[Attempt, dict[str, Any]]],
    unbegun: list[int],
    database: Database,
    owner: str,
    retention: Retention,
) -> None:
    """Write how attempts ended, each with its columns, and of one whose columns cannot be stored that alone.

    The claimed events `unbegun` (`seq`) are given back, and cleared from the list. Raises SQLAlchemyError where the
    database is away.
    """

    def write(part: Sequence[tuple[Attempt, dict[str, Any]]]) -> None:
        with database.transaction(writes=True) as session:
            queue.finish(session, owner, [values for _, values in part], unbegun)
            count = retention.ended(session, (_kept(attempt, values) for attempt, values in part))
        count()
        unbegun.clear()  # they may be claimed again, which a further part must not undo

    for (attempt, _), error in write_all(results, write):
        log.error("the trace of event %s could not be stored", attempt.event.id, exc_info=error)
        write([(attempt, attempt.ending())])


def _kept(attempt: Attempt, values: dict[str, Any]) -> tuple[str, int]:
    """Return the integration of an attempt, and about how many bytes are kept of it: none while it comes again."""
    over = values["state"] in ("delivered", "given-up")
    return attempt.event.integration_id, len(attempt.event.payload) + len(values["trace"] or "") if over else 0
