"""One call of one script: choose the engine, apply the limits, record what happened."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Failure, Invocation, Limits, Outcome, Trace
from runtime.contract.masking import Masker
from runtime.dispatch.planning import Plan
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.sampling import Sampling, noteworthy
from runtime.dispatch.script_event import ScriptEvent
from runtime.dispatch.stored_answers import KINDS, Copied, stored_answer
from runtime.dispatch.traces import recorded_body, trace_text
from runtime.dispatch.tunnels import Tunnels
from runtime.engines.once import Once
from runtime.engines.shares import Shares
from runtime.engines.table import Engines
from runtime.store.database import now
from runtime.store.queue import Source
from runtime.telemetry import metrics, tracing

if TYPE_CHECKING:
    from opentelemetry.trace import Span

SEATS = 128
"""Calls that may be waited for at a time in one process, unless the number of threads is given."""

Ended = Callable[[Outcome, Trace, float], None]
Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Parts:
    """The answer and the trace of a call, and the verdict of its reader, in any order; the last one ends the call.

    `sound` is None while the answer is still being read. `body` is the stored part of the answer, if wanted.
    """

    ended: Ended
    started: float
    sent: float
    span: Span | None
    masker: Masker
    sound: bool | None = True
    outcome: Outcome | None = None
    trace: Trace | None = None
    seconds: float = 0.0
    body: bytes | Copied = b""
    _over: Once = field(init=False)

    def __post_init__(self) -> None:
        self._over = Once(self._tell)

    def answered(self, outcome: Outcome) -> None:
        self.seconds = time.perf_counter() - self.started
        self.outcome = outcome
        if isinstance(outcome.body, (bytes, Copied)):
            self.body = outcome.body
        self._end()

    def traced(self, trace: Trace) -> None:
        trace.sent = self.sent
        self.trace = trace
        self._end()

    def read(self, sound: bool) -> None:
        self.sound = sound
        self._end()

    def _end(self) -> None:
        if self.outcome is not None and self.trace is not None and self.sound is not None:
            self._over()

    def _tell(self) -> None:
        assert self.outcome is not None and self.trace is not None
        if self.span is not None:
            tracing.call_ended(self.span, self.outcome, self.trace, self.masker)
        self.ended(self.outcome, self.trace, self.seconds)


def _parts(plan: Plan, kind: str, ended: Ended, sound: bool | None = True) -> _Parts:
    """Begin a call; its measurements start here."""
    span = tracing.call_began(kind, plan.integration, plan.installation_id)
    return _Parts(ended, time.perf_counter(), time.time(), span, plan.masker, sound)


@dataclass(frozen=True, slots=True)
class _Sent:
    """An event that somebody waits for, as it was sent."""

    plan: Plan
    kind: str
    id: str
    text: bytes
    fetch_body: bytes | None
    source: Source
    limits: Limits
    created: datetime

    def row(
        self, outcome: Outcome, trace: Trace, seconds: float, body: bytes | Copied, unrecorded: int
    ) -> dict[str, Any]:
        """Write what the event log keeps of the call; `unrecorded` calls before it were only counted."""
        masker = self.plan.masker
        answer = stored_answer(self.kind, outcome, body, masker)
        stored = recorded_body(self.fetch_body, masker)
        return {
            "id": self.id,
            "integration_id": self.plan.integration_id,
            "installation_id": self.plan.installation_id,
            "lane": self.id,
            "type": self.kind,
            "source": self.source,
            "payload": masker.payload(self.text.decode()),
            "state": "delivered" if outcome.status < 400 else "given-up",
            "attempts": 1,
            "due_at": 0.0,
            "answer": outcome.status,
            "duration_ms": seconds * 1000,
            "created_at": self.created,
            "body": stored,
            "trace": trace_text(
                trace,
                self.limits,
                masker,
                self.created,
                seconds,
                unrecorded,
                answer,
                configured=self.plan.configured,
                body_kept=stored is not None or not self.fetch_body,
            ),
        }


class Invoker:
    """Calls scripts through the engines."""

    def __init__(
        self,
        engines: Engines,
        recorder: Recorder,
        sampling: Sampling,
        limits: Limits,
        tunnels: Tunnels,
        seats: Shares | None = None,
    ) -> None:
        """Take the parts that it works with; `seats` are the slots of threads that may wait for scripts."""
        self.engines = engines
        self._seats = seats or Shares(SEATS)
        self._tunnels = tunnels
        self.limits = limits
        self._recorder = recorder
        self._sampling = sampling

    def call(
        self,
        plan: Plan,
        kind: str,
        fields: dict[str, Any],
        fetch_body: bytes | None = None,
        event_id: str | None = None,
        *,
        source: Source,
        seconds: float | None = None,
    ) -> Outcome:
        """Send an event that somebody waits for, with a new id if none is given, and record it when it has ended.

        `source` says who waits: people with a token, or visitors, who may be anybody; `seconds` is a time limit
        shorter than the usual one.
        """
        limits = self.limits if seconds is None else replace(self.limits, wall=min(seconds, self.limits.wall))
        event = ScriptEvent.of(plan, kind, fields)
        outcome, _ = self._call(plan, event, fetch_body, event_id, source, sound=True, limits=limits)
        return outcome

    def waiting(self, owner: str, part: str) -> AbstractContextManager[None]:
        """Return the slot of a thread that waits for another thread's call, for an organization and its integration.

        Entering it raises `NoneLeft` if they have no free slot.
        """
        return self._seats.place(owner, part)

    def render(self, plan: Plan, event: ScriptEvent, read: Callable[[Outcome], Answer], *, source: Source) -> Answer:
        """Send a render, and return the result of `read` for its answer; raises what `read` raises.

        An answer that `read` refuses counts as a failure; others are sampled by `Sampling`.
        """
        outcome, parts = self._call(plan, event, None, None, source, sound=None)
        sound = False
        try:
            answer = read(outcome)
            sound = True
        finally:
            parts.read(sound)
        return answer

    def _call(
        self,
        plan: Plan,
        event: ScriptEvent,
        fetch_body: bytes | None,
        event_id: str | None,
        source: Source,
        *,
        sound: bool | None,
        limits: Limits | None = None,
    ) -> tuple[Outcome, _Parts]:
        """Call in a slot of the waiting owner; if the answer still has to be read (`sound`), it may be sampled."""
        identifier = event_id or new_id()
        text = event.written(identifier)
        sent = _Sent(plan, event.kind, identifier, text, fetch_body, source, limits or self.limits, now())
        is_render = sound is None

        def ended(outcome: Outcome, trace: Trace, seconds: float) -> None:
            sampled = is_render and parts.sound is True and not noteworthy(outcome, trace, seconds)
            if not self._sampling.skips(plan, event.kind, sampled=sampled):
                unrecorded = self._sampling.counted(plan)
                self._recorder.record(plan.integration, sent.row(outcome, trace, seconds, parts.body, unrecorded))

        owner = (plan.organization_id, plan.integration)
        seated = self._seats.enter(*owner)
        parts = _parts(plan, event.kind, ended, sound)
        try:
            outcome = self._send(plan, event.kind, text, fetch_body, parts, sent.limits, seated=seated)
        except BaseException:
            if seated:
                self._seats.leave(*owner)
            raise
        if not seated:
            return outcome, parts
        if isinstance(outcome.body, bytes):
            self._seats.leave(*owner)
        else:  # a thread reads the body for as long as the script writes it
            outcome.body = self._seats.held_by(*owner, outcome.body)
        return outcome, parts

    def send(self, plan: Plan, kind: str, event: bytes, fetch_body: bytes | None, ended: Ended) -> Outcome:
        """Send an event as it is; `ended` is called once, with answer, trace and seconds."""
        parts = _parts(plan, kind, ended)
        return self._send(plan, kind, event, fetch_body, parts, self.limits, seated=True)

    @staticmethod
    def _crowded(parts: _Parts) -> Outcome:
        sentence = "The integration, or its organization, is busy with other calls; try again in a moment."
        failure = Failure("overload", sentence)
        parts.traced(Trace(failure=failure))
        return Outcome(503, [], b"", failure)

    def _send(
        self,
        plan: Plan,
        kind: str,
        event: bytes,
        fetch_body: bytes | None,
        parts: _Parts,
        limits: Limits,
        *,
        seated: bool,
    ) -> Outcome:
        """Without a free slot (`seated`) the call is refused and recorded."""
        invocation = Invocation(
            script=plan.script,
            tenant=plan.installation_id or "",
            event=event,
            environment=plan.environment,
            fetch_body=fetch_body,
            limits=limits,
            tunnel_url=self._tunnels.open(plan.integration_id, plan.tunnel_url) if plan.tunnel_url else None,
            organization=plan.organization_id,
        )
        outcome = self.engines.invoke(invocation, parts.traced) if seated else self._crowded(parts)
        if kind in KINDS and not isinstance(outcome.body, bytes):
            outcome.body = Copied(outcome.body)
        parts.answered(outcome)
        metrics.call_ended(kind, outcome.status, parts.seconds)
        return outcome
