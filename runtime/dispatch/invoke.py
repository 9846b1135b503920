"""One call of one script: choose the engine, apply the limits, record what happened."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Failure, Invocation, Limits, Outcome, Trace
from runtime.dispatch import metrics
from runtime.dispatch.planning import Plan
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.traces import recorded_body, trace_text
from runtime.dispatch.tunnels import Tunnels
from runtime.engines.shares import Shares
from runtime.engines.table import Engines
from runtime.store.database import now
from runtime.store.queue import Source

SEATS = 128
"""Calls that may be waited for at a time in one process, where nobody says how many threads there are."""

Ended = Callable[[Outcome, Trace, float], None]


@dataclass(slots=True)
class _Halves:
    """The answer and the trace of a call: they arrive in either order, the second one ends the call."""

    ended: Ended
    started: float
    sent: float
    outcome: Outcome | None = None
    trace: Trace | None = None
    seconds: float = 0.0
    open: list[None] | None = None

    def answered(self, outcome: Outcome) -> None:
        self.seconds = time.perf_counter() - self.started
        self.outcome = outcome
        self._end()

    def traced(self, trace: Trace) -> None:
        trace.sent = self.sent
        self.trace = trace
        self._end()

    def _end(self) -> None:
        if self.outcome is None or self.trace is None:
            return
        try:
            (self.open or []).pop()  # atomic: of two threads one gets it
        except IndexError:
            return
        self.ended(self.outcome, self.trace, self.seconds)


class Invoker:
    """Calls scripts through the engines."""

    def __init__(
        self, engines: Engines, recorder: Recorder, limits: Limits, tunnels: Tunnels, seats: Shares | None = None
    ) -> None:
        """Take what it works with; `seats` are the threads that may wait for scripts."""
        self.engines = engines
        self._seats = seats or Shares(SEATS)
        self._tunnels = tunnels
        self.limits = limits
        self._recorder = recorder

    def call(
        self,
        plan: Plan,
        kind: str,
        fields: dict[str, Any],
        fetch_body: bytes | None = None,
        event_id: str | None = None,
        *,
        source: Source,
    ) -> Outcome:
        """Send an event somebody waits for, with a fresh id where none is given, and record it when it is over.

        `source` tells who waits: people with a token, or visitors, who may be anybody.
        """
        payload: dict[str, Any] = {"eventId": event_id or new_id(), "type": kind}
        if plan.installation_id is not None:
            payload["installationId"] = plan.installation_id
        payload |= fields
        created = now()
        event = json.dumps(payload, separators=(",", ":")).encode()

        def ended(outcome: Outcome, trace: Trace, seconds: float) -> None:
            self._recorder.record(
                plan.integration,
                {
                    "id": payload["eventId"],
                    "integration_id": plan.integration_id,
                    "installation_id": plan.installation_id,
                    "lane": payload["eventId"],
                    "type": kind,
                    "source": source,
                    "payload": plan.masker.payload(payload, event.decode()),
                    "state": "delivered" if outcome.status < 400 else "given-up",
                    "attempts": 1,
                    "due_at": 0.0,
                    "answer": outcome.status,
                    "duration_ms": seconds * 1000,
                    "created_at": created,
                    "body": recorded_body(fetch_body, plan.masker),
                    "trace": trace_text(trace, self.limits, plan.masker, created, seconds),
                },
            )

        place = (plan.organization_id, plan.integration)
        seated = self._seats.enter(*place)
        try:
            outcome = self.send(plan, kind, event, fetch_body, ended, seated=seated)
        except BaseException:
            if seated:
                self._seats.leave(*place)
            raise
        if not seated:
            return outcome
        if isinstance(outcome.body, bytes):
            self._seats.leave(*place)
        else:  # a thread reads the body as long as the script writes it
            outcome.body = self._seats.held_by(*place, outcome.body)
        return outcome

    @staticmethod
    def _crowded(halves: _Halves) -> Outcome:
        sentence = "The integration, or its organization, is busy with other calls; try again in a moment."
        failure = Failure("overload", sentence)
        halves.traced(Trace(failure=failure))
        return Outcome(503, [], b"", failure)

    def send(
        self, plan: Plan, kind: str, event: bytes, fetch_body: bytes | None, ended: Ended, *, seated: bool = True
    ) -> Outcome:
        """Send an event as it stands; `ended` is called once, with answer, trace and seconds.

        Without a place for who waits (`seated`) the call is refused and noted.
        """
        halves = _Halves(ended, time.perf_counter(), time.time(), open=[None])
        invocation = Invocation(
            script=plan.script,
            tenant=plan.installation_id or "",
            event=event,
            environment=plan.environment,
            fetch_body=fetch_body,
            limits=self.limits,
            tunnel_url=self._tunnels.open(plan.tunnel_url) if plan.tunnel_url else None,
            organization=plan.organization_id,
        )
        outcome = self.engines.invoke(invocation, halves.traced) if seated else self._crowded(halves)
        halves.answered(outcome)
        metrics.call_ended(kind, outcome.status, halves.seconds)
        return outcome
