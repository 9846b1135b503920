"""One call of one script: choose the engine, apply the limits, record what happened."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Failure, Invocation, Limits, Outcome, Trace
from runtime.dispatch import metrics
from runtime.dispatch.planning import Plan
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.traces import recorded_body, recorded_payload, trace_text
from runtime.dispatch.tunnels import Tunnels
from runtime.engines.table import Engines
from runtime.store.database import now
from runtime.store.queue import Source

MOST_OPEN = 32
"""Calls of one integration at a time in one process, running or waiting; a slow one leaves threads for the others."""

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

    def __init__(self, engines: Engines, recorder: Recorder, limits: Limits, tunnels: Tunnels) -> None:
        self.engines = engines
        self._tunnels = tunnels
        self.limits = limits
        self._recorder = recorder
        self._open: Counter[str] = Counter()
        self._counting = threading.Lock()

    def _invoke(self, integration_id: str, invocation: Invocation, halves: _Halves) -> Outcome:
        """Call a script, unless so many calls of its integration are open that others would find no thread."""
        with self._counting:
            crowded = self._open[integration_id] >= MOST_OPEN
            self._open[integration_id] += not crowded
        if crowded:
            failure = Failure("overload", "The integration is busy with other calls; try again in a moment.")
            halves.traced(Trace(failure=failure))
            return Outcome(503, [], b"", failure)
        try:
            return self.engines.invoke(invocation, halves.traced)
        finally:
            with self._counting:
                self._open[integration_id] -= 1
                if not self._open[integration_id]:
                    del self._open[integration_id]

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
                    "payload": recorded_payload(payload, event),
                    "state": "delivered" if outcome.status < 400 else "given-up",
                    "attempts": 1,
                    "due_at": 0.0,
                    "answer": outcome.status,
                    "duration_ms": seconds * 1000,
                    "created_at": created,
                    "body": recorded_body(fetch_body, plan.secrets),
                    "trace": trace_text(trace, self.limits, plan.secrets, created, seconds),
                },
            )

        return self.send(plan, kind, event, fetch_body, ended)

    def send(self, plan: Plan, kind: str, event: bytes, fetch_body: bytes | None, ended: Ended) -> Outcome:
        """Send an event as it stands; `ended` is called once, with answer, trace and seconds."""
        halves = _Halves(ended, time.perf_counter(), time.time(), open=[None])
        invocation = Invocation(
            script=plan.script,
            tenant=plan.installation_id or "",
            event=event,
            environment=plan.environment,
            fetch_body=fetch_body,
            limits=self.limits,
            tunnel_url=self._tunnels.open(plan.tunnel_url) if plan.tunnel_url else None,
        )
        outcome = self._invoke(plan.integration_id, invocation, halves)
        halves.answered(outcome)
        metrics.call_ended(kind, outcome.status, halves.seconds)
        return outcome
