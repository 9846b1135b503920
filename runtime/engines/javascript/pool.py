"""The JavaScript engine: one isolate for each version of an integration, several calls at once."""

from __future__ import annotations

import re
from pathlib import Path

from runtime.contract.invocation import Invocation, Limits, LoadReport, Outcome, Script, ScriptFault, TraceSink
from runtime.engines.call_state import CallState, CallStopped, size_text
from runtime.engines.calling import Caller, ProcessBroken
from runtime.engines.cgroups import Groups
from runtime.engines.egress import EgressRules
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.engine import ScriptRefused, ScriptTooLarge, refusal
from runtime.engines.javascript.bundle import script_name
from runtime.engines.javascript.channels import Channel
from runtime.engines.javascript.command import IsolateLauncher
from runtime.engines.javascript.isolate_pool import EVERYBODY, IsolatePool
from runtime.engines.javascript.lending import Lender
from runtime.engines.javascript.own_isolate import OwnIsolate
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable
from runtime.engines.watcher import Watcher

_LOOKS_LIKE_PYTHON = re.compile(
    r"^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?$|def \w+\(.*:$|class \w.*:$|@\w+[\w.]*\(?|if __name__ ==)",
    re.MULTILINE,
)
LONGEST_LETTER = 4
"""Bytes of the longest character in UTF-8."""
_PYTHON_HINT = 'this looks like Python: publish it with runtime "python"'

_UNKNOWN = (
    "JavaScript engines do not tell which line ran: log before and after what may take long, or run it with "
    "`devkit dev --debug` and pause it in the debugger."
)


class JavaScriptEngine:
    """Runs module workers in sandboxed Deno processes; the `Engine` protocol, safe to use from many threads."""

    def __init__(
        self,
        *,
        sandbox: SandboxMode,
        rules: EgressRules,
        groups: Groups | None = None,
        calls_per_isolate: int = 32,
        isolates_total: int = 64,
        isolates_idle: int = 8,
        idle_seconds: float = 60.0,
        per_installation: bool = False,
        shared: Path | None = None,
    ) -> None:
        """Look for what it needs, starting nothing yet; raises `SandboxUnavailable` with a sentence what to do.

        With a folder `shared`, isolates are shared among the engines of all processes that have the same folder.
        """
        self._closed = False
        self._pad = IsolateLauncher(sandbox, rules.more_certificates())
        self._proxy = EgressProxy(rules)
        self._lender = Lender(shared, self._proxy, calls_per_isolate) if shared is not None else None
        self._isolates = IsolatePool(
            lambda limits: OwnIsolate(
                self._pad, self._proxy, limits.memory, calls_per_isolate, groups, shared=shared is not None
            ),
            self._lender,
            total=isolates_total,
            idle_total=isolates_idle,
            idle_seconds=idle_seconds,
        )
        self._per_installation = per_installation
        self._caller = Caller(self, _UNKNOWN)
        self._watcher = Watcher(self._isolates.running, self._isolates.tidy)
        self._watcher.start()

    def check(self, script: Script, organization: str = "") -> LoadReport:
        """Load a script once, without calling it; raises `ScriptRefused`, `SandboxUnavailable`, `PoolBusy`."""
        limits = Limits()
        _check_size(script, limits)
        try:
            tenant = None if self._per_installation else EVERYBODY
            return self._isolates.load(script, tenant, organization, limits)
        except CallStopped as stopped:
            raise refusal(script, stopped.failure) from stopped
        except ProcessBroken as broken:
            raise SandboxUnavailable(f"JavaScript cannot be run here: {broken}") from broken
        except ScriptRefused as refused:
            raise ScriptRefused(_with_hint(refused.fault, script)) from refused

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call a script; see `Engine`."""
        return self._caller.invoke(invocation, done)

    def take(self, invocation: Invocation, state: CallState) -> Channel:
        """Lend a channel; see `Pool`."""
        _check_size(invocation.script, invocation.limits)
        tenant = invocation.tenant if self._per_installation else EVERYBODY
        channel = self._isolates.take(invocation.script, tenant, invocation.organization, state)
        state.start()
        channel.begin(state)
        return channel

    def give(self, connection: Channel) -> None:
        """Take a channel back; see `Pool`."""
        self._isolates.give(connection)

    def drop(self, connection: Channel) -> None:
        """End a channel; see `Pool`."""
        self._isolates.drop(connection)

    def retire(self, version: str) -> None:
        """Let idle isolates of this version go; calls in flight finish."""
        self._isolates.retire(version)

    def ready(self) -> bool:
        """Return whether a call would be accepted now."""
        return not self._closed and self._isolates.works()

    def isolates(self) -> int:
        """Return how many isolates serve scripts."""
        return self._isolates.size()

    def close(self) -> None:
        """Stop accepting calls, finish those in flight, stop all processes."""
        if self._closed:
            return
        self._closed = True
        self._isolates.close()
        if self._lender is not None:
            self._lender.close()
        self._watcher.close()
        self._pad.close()
        self._proxy.close()


def _check_size(script: Script, limits: Limits) -> None:
    if len(script.source) * LONGEST_LETTER <= limits.script:
        return  # no call of a script that is not large waits for its letters to be counted
    if len(script.source) > limits.script or len(script.source.encode("utf-8", "replace")) > limits.script:
        message = f"the script is larger than the limit of {size_text(limits.script)}"
        raise ScriptTooLarge(ScriptFault(message, file=script_name(script)))


def _with_hint(fault: ScriptFault, script: Script) -> ScriptFault:
    """Add a hint if a script that does not parse is probably Python."""
    if fault.hint or "SyntaxError" not in fault.message or not _LOOKS_LIKE_PYTHON.search(script.source[:20_000]):
        return fault
    return ScriptFault(fault.message, fault.file, fault.line, fault.column, fault.source, _PYTHON_HINT)
