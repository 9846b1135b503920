"""The interface of every engine: run one script once."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from runtime.contract.invocation import Failure, Invocation, LoadReport, Outcome, Script, ScriptFault, TraceSink


class ScriptRefused(Exception):
    """The script cannot be loaded; `fault` says where and why."""

    def __init__(self, fault: ScriptFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class ScriptTooLarge(ScriptRefused):
    """The script is over its size limit."""


def refusal(script: Script, failure: Failure, place: ScriptFault | None = None) -> ScriptRefused:
    """Return the refusal of a script that failed while it was loaded, at a place where that is known."""
    message = f"While it was being loaded: {failure.message[:1].lower()}{failure.message[1:]}"
    return ScriptRefused(replace(place or ScriptFault("", file=script.entry), message=message))


class AnswerCut(Exception):
    """A streamed body is incomplete; what was read so far is not the whole answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Engine(Protocol):
    """Turns an `Invocation` into an `Outcome`; safe to use from many threads."""

    def check(self, script: Script, organization: str = "") -> LoadReport:
        """Load a script once in the sandbox, without calling it; `organization` is who publishes it.

        Raises `ScriptRefused`, `SandboxUnavailable`, `PoolBusy`.
        """

    def invoke(self, invocation: Invocation, done: TraceSink) -> Outcome:
        """Call the script. `done` is called exactly once, from any thread, when the trace is complete."""

    def retire(self, version: str) -> None:
        """Stop idle workers of this version; calls in flight finish."""

    def ready(self) -> bool:
        """Return whether a call would be accepted now."""

    def close(self) -> None:
        """Stop accepting calls, finish those in flight, stop all processes."""
