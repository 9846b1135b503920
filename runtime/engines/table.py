"""Which engine runs which script."""

from __future__ import annotations

from collections.abc import Callable

from runtime.contract.invocation import Invocation, LoadReport, Outcome, Script, TraceSink
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.dev_tunnel.tunnel import DevTunnelEngine
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.sandbox import SandboxMode


def _python(sandbox: SandboxMode, rules: EgressRules) -> Engine:
    return PythonEngine(sandbox=sandbox, rules=rules)


def _javascript(sandbox: SandboxMode, rules: EgressRules) -> Engine:
    return JavaScriptEngine(sandbox=sandbox, rules=rules)


# Runtime name, as a publish request gives it, to the function that makes its engine; names may share one.
ENGINES: dict[str, Callable[[SandboxMode, EgressRules], Engine]] = {
    "python": _python,
    "v1": _javascript,
    "v2": _javascript,
}


class UnknownRuntime(LookupError):
    """No engine runs scripts of this runtime; the message names those that exist."""

    def __init__(self, runtime: str) -> None:
        super().__init__(f"no engine runs scripts of runtime {runtime!r}; this host knows {', '.join(ENGINES)}")
        self.runtime = runtime


class Engines:
    """All engines of a host, as one; safe to use from many threads."""

    def __init__(self, by_runtime: dict[str, Engine], dev_tunnel: Engine) -> None:
        """Take the engine of each runtime name, and the one for development mode."""
        self._by_runtime = by_runtime
        self.dev_tunnel = dev_tunnel

    def for_script(self, runtime: str) -> Engine:
        """Return the engine for a runtime name; raises `UnknownRuntime`."""
        engine = self._by_runtime.get(runtime)
        if engine is None:
            raise UnknownRuntime(runtime)
        return engine

    def check(self, script: Script) -> LoadReport:
        """Load a script once, without calling it; raises `UnknownRuntime`, `ScriptRefused`."""
        return self.for_script(script.runtime).check(script)

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script: through its tunnel in development mode, else in its engine; raises `UnknownRuntime`."""
        if invocation.tunnel_url:
            return self.dev_tunnel.invoke(invocation, done)
        return self.for_script(invocation.script.runtime).invoke(invocation, done)

    def retire(self, version: str) -> None:
        """Let idle workers of this version go; calls in flight finish."""
        for engine in self._each():
            engine.retire(version)

    def ready(self) -> bool:
        """Tell whether every engine would take a call now."""
        return all(engine.ready() for engine in self._each())

    def close(self) -> None:
        """Finish the calls in flight and end all processes."""
        for engine in self._each():
            engine.close()

    def _each(self) -> list[Engine]:
        return [*dict.fromkeys(self._by_runtime.values()), self.dev_tunnel]


def create_engines(sandbox: SandboxMode, rules: EgressRules, relay: Relay | None = None) -> Engines:
    """Start every engine; raises `SandboxUnavailable` with a sentence that says what to do.

    `relay` carries calls to the developers connected to this machine; without one, tunnels are all elsewhere.
    """
    made: dict[Callable[[SandboxMode, EgressRules], Engine], Engine] = {}
    try:
        for make in dict.fromkeys(ENGINES.values()):
            made[make] = make(sandbox, rules)
    except BaseException:
        for engine in made.values():
            engine.close()
        raise
    return Engines({name: made[make] for name, make in ENGINES.items()}, DevTunnelEngine(rules, relay))
