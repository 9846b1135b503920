"""The Python engine: workers by version and tenant, one call at a time each."""

from __future__ import annotations

from dataclasses import replace

from runtime.contract.invocation import Invocation, Limits, LoadReport, Outcome, Script, TraceSink
from runtime.engines.call_state import CallState, CallStopped
from runtime.engines.calling import Caller, ProcessBroken
from runtime.engines.cgroups import Groups
from runtime.engines.egress import EgressRules
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.engine import refusal
from runtime.engines.processes import shown
from runtime.engines.python_process.bundle import read_bundle
from runtime.engines.python_process.worker import Worker
from runtime.engines.python_process.worker_factory import WorkerFactory
from runtime.engines.python_process.worker_pool import WorkerPool
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable
from runtime.engines.watcher import Watcher


class PythonEngine:
    """Runs Python scripts in sandboxed processes; the `Engine` protocol, safe to use from many threads."""

    def __init__(
        self,
        *,
        sandbox: SandboxMode,
        rules: EgressRules,
        groups: Groups | None = None,
        workers_per_key: int = 4,
        workers_total: int = 64,
        idle_seconds: float = 60.0,
    ) -> None:
        """Start the zygote; raises `SandboxUnavailable` with a message that says what to do."""
        self._closed = False
        self._proxy = EgressProxy(rules)
        try:
            self._factory = WorkerFactory(sandbox, self._proxy, groups, rules.certificates())
        except BaseException:
            self._proxy.close()
            raise
        self._pool = WorkerPool(
            self._factory.new_worker, per_key=workers_per_key, total=workers_total, idle_seconds=idle_seconds
        )
        self._caller = Caller(self, "Log before and after what may take long, to see how far it comes.")
        self._watcher = Watcher(self._pool.in_flight, self._tidy)
        self._watcher.start()

    def check(self, script: Script, organization: str = "") -> LoadReport:
        """Load a script once, without calling it; raises `ScriptRefused`, `SandboxUnavailable`.

        The worker stays for the first call: it has seen nothing of anybody.
        """
        limits = Limits()
        bundle = read_bundle(script, limits)
        try:
            worker = self._factory.new_worker()
        except ProcessBroken as broken:
            raise _cannot_run(broken) from broken
        self._pool.lend(worker)
        state = CallState(limits)
        try:
            worker.begin(state)
            report = worker.load_bundle(bundle, limits.memory)
            report = replace(report, memory=shown(worker.memory(), limits.memory))
            worker.end()
        except ProcessBroken as broken:
            self._pool.drop(worker)
            raise _cannot_run(broken) from broken
        except CallStopped as stopped:
            self._pool.drop(worker)
            raise refusal(script, stopped.failure, state.place) from stopped
        except BaseException:
            self._pool.drop(worker)
            raise
        worker.load_logs = list(report.logs)
        self._pool.keep(worker, (script.version, None, limits.memory), organization)
        return report

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script; see `Engine`."""
        return self._caller.invoke(invocation, done)

    def take(self, invocation: Invocation, state: CallState) -> Worker:
        """Lend a worker; see `Pool`."""
        script, limits = invocation.script, invocation.limits
        key = (script.version, invocation.tenant, limits.memory)
        worker, fresh = self._pool.take(key, (invocation.organization, script.integration), state.deadline)
        state.start()
        worker.begin(state)
        state.trace.logs += worker.load_logs
        worker.load_logs = []
        if fresh:
            try:
                worker.load_bundle(read_bundle(script, limits), limits.memory)
            except BaseException:
                self._caller.drop(worker)
                raise
            worker.open_gate()
        return worker

    def give(self, connection: Worker) -> None:
        """Take a worker back; see `Pool`."""
        self._pool.give(connection)

    def drop(self, connection: Worker) -> None:
        """End a worker; see `Pool`."""
        self._pool.drop(connection)

    def retire(self, version: str) -> None:
        """Stop idle workers of this version; calls in flight finish."""
        self._pool.retire(version)

    def ready(self) -> bool:
        """Return whether a call would be accepted now."""
        return not self._closed and self._factory.works()

    @property
    def buffers_bounded(self) -> bool:
        """Whether the buffers of a script's own TCP connections are small here."""
        return self._factory.buffers_bounded

    def workers(self) -> int:
        """Return how many workers serve scripts."""
        return self._pool.size()

    @property
    def zygote_pid(self) -> int | None:
        """The process all workers come from, as this host sees it."""
        return self._factory.zygote.pid

    def close(self) -> None:
        """Stop accepting calls, finish those in flight, stop all processes."""
        if self._closed:
            return
        self._closed = True
        self._pool.close()
        self._watcher.close()
        self._factory.close()
        self._proxy.close()

    def _tidy(self) -> None:
        self._pool.tidy()
        self._factory.refill()


def _cannot_run(broken: ProcessBroken) -> SandboxUnavailable:
    return SandboxUnavailable(f"Python cannot be run here: {broken}")
