"""Which engine runs which script."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from runtime.contract.invocation import Invocation, LoadReport, Outcome, Script, TraceSink
from runtime.engines.calling import PoolBusy
from runtime.engines.cgroups import Groups, find_groups
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.dev_tunnel.tunnel import DevTunnelEngine
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.processes import measurable
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable
from runtime.engines.shares import NoneLeft, Shares

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """What a host may choose: what enforces the limits, and who shares a process.

    `groups` are the control groups the host may make; without them, only the limits of each process hold. `isolates`
    is the folder through which serving processes share isolates.
    """

    groups: Groups | None = None
    process_per_installation: bool = False
    isolates: Path | None = None


class MakeEngine(Protocol):
    """Makes an engine; raises `SandboxUnavailable` with a message that says what to do."""

    def __call__(self, sandbox: SandboxMode, rules: EgressRules, options: Options = ...) -> Engine: ...


def _python(sandbox: SandboxMode, rules: EgressRules, options: Options = Options()) -> Engine:
    return PythonEngine(sandbox=sandbox, rules=rules, groups=options.groups)


def _javascript(sandbox: SandboxMode, rules: EgressRules, options: Options = Options()) -> Engine:
    return JavaScriptEngine(
        sandbox=sandbox,
        rules=rules,
        groups=options.groups,
        per_installation=options.process_per_installation,
        shared=options.isolates,
    )


# Runtime name, as a publish request gives it, to the function that makes its engine; names may share one.
ENGINES: dict[str, MakeEngine] = {
    "python": _python,
    "v1": _javascript,
    "v2": _javascript,
}


CHECKS = 8
"""Scripts that may be loaded at one time to be checked: each takes a process and a thread, for seconds if it hangs."""


class UnknownRuntime(LookupError):
    """No engine runs scripts of this runtime; the message names those that exist."""

    def __init__(self, runtime: str) -> None:
        super().__init__(f"no engine runs scripts of runtime {runtime!r}; this host knows {', '.join(ENGINES)}")
        self.runtime = runtime


class Engines:
    """All engines of a host, as one; safe to use from many threads."""

    def __init__(
        self,
        by_runtime: dict[str, Engine],
        dev_tunnel: Engine,
        confinement: dict[str, Any],
        groups: Groups | None = None,
    ) -> None:
        """Take the engine of each runtime name, the one for development mode, and what bounds scripts."""
        self._groups = groups
        self._by_runtime = by_runtime
        self._checks = Shares(CHECKS)
        self._confinement = confinement
        self.dev_tunnel = dev_tunnel

    def for_script(self, runtime: str) -> Engine:
        """Return the engine for a runtime name; raises `UnknownRuntime`."""
        engine = self._by_runtime.get(runtime)
        if engine is None:
            raise UnknownRuntime(runtime)
        return engine

    def check(self, script: Script, organization: str = "") -> LoadReport:
        """Load a script once, without calling it; `organization` is who publishes it.

        Raises `UnknownRuntime`, `ScriptRefused`, `SandboxUnavailable`, and `PoolBusy` while as many of the
        organization's scripts are being loaded as may be.
        """
        engine = self.for_script(script.runtime)
        try:
            with self._checks.place(organization), Waiting():
                return engine.check(script, organization)
        except NoneLeft:
            raise PoolBusy from None

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script: through its tunnel in development mode, else in its engine; raises `UnknownRuntime`."""
        if invocation.tunnel_url:
            with Waiting():
                return self.dev_tunnel.invoke(invocation, done)
        return self.for_script(invocation.script.runtime).invoke(invocation, done)

    def retire(self, version: str) -> None:
        """Stop idle workers of this version; calls in flight finish."""
        for engine in self._each():
            engine.retire(version)

    def confinement(self) -> dict[str, Any]:
        """Return what bounds scripts here; for operators, and part of what `/readyz` answers."""
        return self._confinement

    def ready(self) -> bool:
        """Return whether every engine would take a call now."""
        return all(engine.ready() for engine in self._each())

    def close(self) -> None:
        """Finish the calls in flight and end all processes."""
        for engine in self._each():
            engine.close()
        if self._groups is not None:
            self._groups.close()

    def _each(self) -> list[Engine]:
        return [*dict.fromkeys(self._by_runtime.values()), self.dev_tunnel]


def create_engines(
    sandbox: SandboxMode,
    rules: EgressRules,
    relay: Relay | None = None,
    *,
    group: str = "",
    process_per_installation: bool = False,
    isolates: Path | None = None,
) -> Engines:
    """Start every engine; raises `SandboxUnavailable` with a message that says what to do.

    `relay` carries calls to the developers connected to this machine; without one, tunnels are all elsewhere. `group`
    is the folder of a control group set aside for scripts, see `find_groups`; `isolates` that through which serving
    processes share JavaScript isolates.
    """
    groups, why = find_groups(group) if sandbox == "required" else (None, "no sandbox")
    if group and groups is None:
        raise SandboxUnavailable(f"the control group in `DEVKIT_CONTROL_GROUP` cannot be used: {why}")
    options = Options(groups, process_per_installation, isolates)
    engines: dict[MakeEngine, Engine] = {}
    try:
        for make in dict.fromkeys(ENGINES.values()):
            engines[make] = make(sandbox, rules, options)
    except BaseException:
        for engine in engines.values():
            engine.close()
        raise
    limits = "control groups" if groups is not None else "each process"
    if sandbox == "off" and not measurable():
        limits = "the time of each call"
        _log.warning(
            "this system does not report what processes use: memory and processor time of scripts are not limited"
        )
    python = engines[ENGINES["python"]]
    confinement = {
        "sandbox": sandbox == "required",
        "limits": limits,
        "why": why,
        "buffers": isinstance(python, PythonEngine) and python.buffers_bounded,
    }
    return Engines(
        {name: engines[make] for name, make in ENGINES.items()}, DevTunnelEngine(rules, relay), confinement, groups
    )
