"""Answers calls with the project's script, in its sandbox on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from devkit.offline.sandboxed_script import SandboxedScript
from devkit.tunnel.exchange import Answer, Incoming
from devkit.tunnel.parts import MalformedCall, Parts, read_parts
from runtime.contract.event_descriptions import unhandled
from runtime.contract.invocation import Outcome, Trace
from runtime.contract.timestamps import wire_time

Told = Callable[[dict[str, Any]], None]
"""Takes an event with its trace, in the shape in which hosts show them."""


class LocalEngine:
    """Runs the latest version of the script; a replaced one ends after its last call."""

    def __init__(self, report: Told) -> None:
        self._told = report
        self._current: _Version | None = None
        self._lock = threading.Lock()

    def put(self, run: SandboxedScript) -> None:
        """Use this script, which must be open, from now on."""
        with self._lock:
            before, self._current = self._current, _Version(run)
        if before is not None:
            before.leave()

    def close(self) -> None:
        """End the script, after its calls."""
        with self._lock:
            before, self._current = self._current, None
        if before is not None:
            before.leave()

    def answer(self, incoming: Incoming) -> Answer:
        """Answer one call of the host."""
        try:
            parts = read_parts(incoming.headers, b"".join(incoming.body()))
        except MalformedCall as error:
            return _error(400, str(error))
        with self._lock:
            version = self._current
            if version is not None:
                version.enter()
        if version is None:
            return _error(503, "The developer's script cannot be loaded right now.")
        try:
            return self._call(version.run, parts)
        finally:
            version.leave()

    def _call(self, run: SandboxedScript, parts: Parts) -> Answer:
        event = json.loads(parts.event)
        ending = CallEnding(lambda outcome, trace: self._told(_detail(event, outcome, trace)))
        installation = str(event.get("installationId", ""))
        try:
            outcome = run.call(parts.event, parts.environment, parts.fetch_body, installation, ending.traced)
        except BaseException:
            ending.answered(None)
            raise
        ending.answered(outcome)
        if outcome.failure is not None:
            return _error(outcome.status, outcome.failure.message)
        body = outcome.body if isinstance(outcome.body, bytes) else iter(outcome.body)
        return Answer(outcome.status, list(outcome.headers), body)


class CallEnding:
    """Tells of a call once both its answer and its trace are there, in whichever order they come."""

    def __init__(self, tell: Callable[[Outcome | None, Trace], None]) -> None:
        self._tell = tell
        self._outcome: Outcome | None = None
        self._trace: Trace | None = None
        self._is_answered = False
        self._lock = threading.Lock()

    def answered(self, outcome: Outcome | None) -> None:
        with self._lock:
            self._outcome, self._is_answered = outcome, True
            trace = self._trace
        if trace is not None:
            self._tell(outcome, trace)

    def traced(self, trace: Trace) -> None:
        with self._lock:
            self._trace = trace
            if not self._is_answered:
                return
        self._tell(self._outcome, trace)


class _Version:
    """A script with a reference count; the last user closes it."""

    def __init__(self, run: SandboxedScript) -> None:
        self.run = run
        self._users = 1
        self._lock = threading.Lock()

    def enter(self) -> None:
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self.run.close()


def _error(status: int, message: str) -> Answer:
    return Answer(status, [("Content-Type", "application/json")], json.dumps({"error": message}).encode())


def _detail(event: dict[str, Any], outcome: Outcome | None, trace: Trace) -> dict[str, Any]:
    """Return what happened as `devkit logs` shows the events of a host."""
    answer = outcome.status if outcome is not None else None
    fine = answer is None or answer < 400 or unhandled(event["type"], answer)
    good = trace.failure is None and trace.fault is None and fine
    detail: dict[str, Any] = {
        "logs": [{"level": line.level, "message": line.message} for line in trace.logs],
        "subrequests": [
            {
                "method": subrequest.method,
                "url": subrequest.url,
                "status": subrequest.status,
                "refused": subrequest.refused,
            }
            for subrequest in trace.subrequests
        ],
    }
    if trace.fault is not None:
        detail["fault"] = asdict(trace.fault)
    return {
        "event": {
            "id": event.get("eventId", ""),
            "createdAt": wire_time(datetime.now(UTC)),
            "payload": event,
            "status": "success" if good else "failed",
            "delivery": {
                "state": "delivered" if good else "given-up",
                "attempts": 1,
                **({} if answer is None else {"answer": answer}),
                "durationMs": trace.usage.wall * 1000,
            },
        },
        "trace": detail,
    }
