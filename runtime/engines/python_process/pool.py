"""The Python engine: workers by version and tenant, one call at a time each."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

from runtime.contract.invocation import (
    Failure,
    Invocation,
    Limits,
    LoadReport,
    Outcome,
    Script,
    ScriptFault,
    Trace,
    TraceSink,
)
from runtime.engines.egress import EgressRules
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.engine import AnswerCut, ScriptRefused
from runtime.engines.python_process.bundle import ScriptTooLarge, read_bundle
from runtime.engines.python_process.child import frames
from runtime.engines.python_process.flight import CallStopped, Flight, failed, over
from runtime.engines.python_process.shelf import Shelf, ShelfBusy
from runtime.engines.python_process.supply import Supply
from runtime.engines.python_process.watcher import Watcher
from runtime.engines.python_process.worker import Worker, WorkerBroken
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable

_log = logging.getLogger(__name__)

_JSON = ("content-type", "application/json")
_ERROR = b'{"error":"Internal server error"}'


class PythonEngine:
    """Runs Python scripts in sandboxed processes; the `Engine` protocol, safe to use from many threads."""

    def __init__(
        self,
        *,
        sandbox: SandboxMode,
        rules: EgressRules,
        workers_per_key: int = 4,
        workers_total: int = 64,
        idle_seconds: float = 60.0,
    ) -> None:
        """Start the zygote; raises `SandboxUnavailable` with a sentence that says what to do."""
        self._closed = False
        self._proxy = EgressProxy(rules)
        try:
            self._supply = Supply(sandbox, self._proxy)
        except BaseException:
            self._proxy.close()
            raise
        self._shelf = Shelf(
            self._supply.new_worker, per_key=workers_per_key, total=workers_total, idle_seconds=idle_seconds
        )
        self._watcher = Watcher(self._shelf.in_flight, self._tidy)
        self._watcher.start()

    def check(self, script: Script) -> LoadReport:
        """Load a script once, without calling it; raises `ScriptRefused`, `SandboxUnavailable`."""
        limits = Limits()
        bundle = read_bundle(script, limits)
        worker = self._supply.new_worker()
        self._shelf.lend(worker)
        try:
            worker.begin(Flight(limits))
            report = worker.load(bundle, limits.memory)
            worker.end()
            return report
        except CallStopped as stopped:
            raise ScriptRefused(_as_fault(script, stopped.failure)) from stopped
        finally:
            self._shelf.drop(worker)

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script; see `Engine`."""
        key = (invocation.script.version, invocation.tenant, invocation.limits.memory)
        flight = Flight(invocation.limits)
        try:
            worker, fresh = self._shelf.take(key, flight.deadline)
        except ShelfBusy:
            failure = Failure("overload", "The integration is busy: no process became free in time.")
            return self._fail(flight, failure, done)
        except (SandboxUnavailable, WorkerBroken) as error:
            _log.error("no worker could be started: %s", error)
            failure = Failure("unreachable", "The integration's process could not be started.")
            return self._fail(flight, failure, done)
        flight.start()
        try:
            worker.begin(flight)
            if fresh:
                worker.load(read_bundle(invocation.script, invocation.limits), invocation.limits.memory)
            outcome, flags = worker.call(invocation)
            if not flags:
                worker.end()
        except CallStopped as stopped:
            self._drop(worker)
            return self._fail(flight, stopped.failure, done)
        except ScriptTooLarge:
            self._drop(worker)
            return self._fail(flight, over("script", invocation.limits), done)
        except ScriptRefused as refused:
            self._drop(worker)
            flight.trace.fault = refused.fault
            _report(done, flight.trace)
            return Outcome(500, [_JSON], _ERROR, fault=refused.fault)
        except BaseException:
            self._drop(worker)
            raise
        if not flags:
            self._shelf.give(worker)
            _report(done, flight.trace)
        elif flags & frames.STREAMED:
            outcome.body = _Streamed(self, worker, flight, done, deferred=bool(flags & frames.DEFERRED))
        else:
            flight.deadline = time.monotonic() + flight.limits.wall
            threading.Thread(target=self._finish, args=(worker, flight, done), name="after-answer", daemon=True).start()
        return outcome

    def retire(self, version: str) -> None:
        """Let idle workers of this version go; calls in flight finish."""
        self._shelf.retire(version)

    def ready(self) -> bool:
        """Tell whether a call would be taken now."""
        return not self._closed and self._supply.zygote.alive()

    def workers(self) -> int:
        """Return how many workers serve scripts."""
        return self._shelf.size()

    @property
    def zygote_pid(self) -> int | None:
        """The process all workers come from, as this host sees it."""
        return self._supply.zygote.pid

    def close(self) -> None:
        """Stop taking calls, finish those in flight, end all processes."""
        if self._closed:
            return
        self._closed = True
        self._shelf.close()
        self._watcher.close()
        self._supply.close()
        self._proxy.close()

    def _tidy(self) -> None:
        self._shelf.tidy()
        self._supply.refill()

    def _fail(self, flight: Flight, failure: Failure, done: TraceSink) -> Outcome:
        flight.trace.failure = failure
        usage = flight.trace.usage
        usage.wall = usage.wall or time.monotonic() - flight.started
        flight.note("error", failure.message)
        _report(done, flight.trace)
        outcome = failed(failure)
        outcome.fault = flight.trace.fault
        return outcome

    def _drop(self, worker: Worker) -> None:
        """End a worker whose call went wrong."""
        try:
            worker.end()
        except CallStopped:  # its reason is known already
            pass
        self._shelf.drop(worker)

    def _finish(self, worker: Worker, flight: Flight, done: TraceSink) -> None:
        """Wait for the work after the answer, then give the worker back."""
        try:
            worker.finish()
            worker.end()
        except CallStopped as stopped:
            self._drop(worker)
            self._fail(flight, stopped.failure, done)
        else:
            self._shelf.give(worker)
            _report(done, flight.trace)


class _Streamed:
    """A body that is passed on while the script writes it; closing it early ends the worker."""

    def __init__(
        self, engine: PythonEngine, worker: Worker, flight: Flight, done: TraceSink, *, deferred: bool
    ) -> None:
        self._engine = engine
        self._worker = worker
        self._flight = flight
        self._done: TraceSink | None = done
        self._deferred = deferred

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._done is None:
            raise StopIteration
        try:
            chunk = self._worker.chunk()
        except CallStopped as stopped:
            self._stop(stopped.failure)
            raise AnswerCut(stopped.failure) from stopped
        if chunk is not None:
            return chunk
        done, self._done = self._done, None
        flight = self._flight
        now = time.monotonic()
        flight.trace.usage.wall = now - flight.started
        flight.deadline = now + flight.limits.wall
        work = (self._worker, flight, done)
        if self._deferred:
            threading.Thread(target=self._engine._finish, args=work, name="after-answer", daemon=True).start()
        else:
            self._engine._finish(*work)
        raise StopIteration

    def close(self) -> None:
        """Give the rest up."""
        if self._done is not None:
            self._stop(Failure("unreachable", "The reader went away before the end of the answer."))

    def __del__(self) -> None:
        # In a thread of its own: the collector may run this while the pool's lock is held.
        if self._done is not None:
            threading.Thread(target=_Streamed.close, args=(self,), daemon=True).start()

    def _stop(self, failure: Failure) -> None:
        done, self._done = self._done, None
        if done is not None:
            self._engine._drop(self._worker)
            self._engine._fail(self._flight, failure, done)


def _as_fault(script: Script, failure: Failure) -> ScriptFault:
    return ScriptFault(f"While it was loaded: {failure.message}", file=script.entry)


def _report(done: TraceSink, trace: Trace) -> None:
    try:
        done(trace)
    except Exception:
        _log.exception("the trace of a call could not be kept")
