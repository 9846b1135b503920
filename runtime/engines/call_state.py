"""One call in a worker: its clock, its limits, its trace."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import lru_cache

from runtime.contract.invocation import (
    Failure,
    FailureKind,
    LimitName,
    Limits,
    LogLevel,
    LogLine,
    Outcome,
    ScriptFault,
    Trace,
)
from runtime.engines import frames
from runtime.engines.egress_account import Account

_LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warn", "error")
_LONGEST_LINE = 20_000
_FAULT = 64_000
_HEADERS = 100_000
_CHUNK = 70_000
_STATUS = {"timeout": 504, "overload": 503, "unreachable": 502, "limit": 502}
_FAULT_FIELDS = ("message", "file", "line", "column", "source", "hint")


class CallStopped(Exception):
    """The call ends without an answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class CallState:
    """A call in flight; used by the calling thread, read by the watcher."""

    __slots__ = ("account", "bounds", "cpu_before", "deadline", "limits", "place", "started", "trace")

    def __init__(self, limits: Limits, owner: tuple[str, str] = ("", "")) -> None:
        """Begin a call of an organization's integration."""
        self.limits = limits
        self.trace = Trace()
        self.account = Account(limits.subrequests, self.trace.subrequests, owner)
        self.bounds = _bounds(limits.response)
        self.cpu_before = 0.0
        self.place: ScriptFault | None = None  # where the script was when it was asked, shortly before it is stopped
        self.started = time.monotonic()
        self.deadline = self.started + limits.wall

    def start(self) -> None:
        """Restart the clock: waiting for a free worker does not count."""
        self.started = time.monotonic()
        self.deadline = self.started + self.limits.wall
        self.trace.began = time.time()

    def log(self, payload: bytes) -> None:
        """Record one log line of the script; raises `CallStopped` if there are too many."""
        if not payload or payload[0] >= len(_LEVELS):
            raise frames.FrameError("a log line without a level")
        size = len(payload) - 1
        usage = self.trace.usage
        usage.log += size
        if usage.log > self.limits.log or len(self.trace.logs) >= self.limits.log // 16:
            raise CallStopped(over("log", self.limits))
        text = payload[1:].decode("utf-8", "replace")
        self.trace.logs.append(LogLine(time.time(), _LEVELS[payload[0]], text))

    def note(self, level: LogLevel, text: str) -> None:
        """Add a line of the host's own to the script's log."""
        self.trace.logs.append(LogLine(time.time(), level, text))


@lru_cache(maxsize=64)
def _bounds(response: int) -> dict[int, int]:
    return {
        frames.READY: _FAULT,
        frames.FAULT: _FAULT,
        frames.PLACE: _FAULT,
        frames.LOG: _LONGEST_LINE,
        frames.ANSWER: response + _HEADERS,
        frames.CHUNK: _CHUNK,
        frames.END: 0,
        frames.IDLE: frames.IDLE_HEAD.size,
        frames.SPENT: 0,
    }


def over(limit: LimitName, limits: Limits) -> Failure:
    """Return the failure of a call that went over one of its limits."""
    kind: FailureKind = "timeout" if limit in ("wall", "cpu") else "limit"
    return Failure(kind, f"The integration {_SENTENCES[limit](limits)}.", limit)


_SENTENCES = {
    "wall": lambda limits: f"took longer than the limit of {limits.wall:g} seconds",
    "cpu": lambda limits: f"used more than the limit of {limits.cpu:g} seconds of processor time",
    "memory": lambda limits: f"used more than the limit of {size_text(limits.memory)} of memory",
    "subrequests": lambda limits: f"made more than the limit of {limits.subrequests} requests",
    "script": lambda limits: f"is larger than the limit of {size_text(limits.script)}",
    "log": lambda limits: f"wrote more than the limit of {size_text(limits.log)} of logs",
    "response": lambda limits: f"answered more than the limit of {size_text(limits.response)}",
}


def stopped_at(failure: Failure, place: ScriptFault | None, unknown: str) -> ScriptFault | None:
    """Return where a script was when it was stopped for its time; without a place `unknown` is what its author can do.

    None for other failures, which are about a call as a whole.
    """
    if failure.limit not in ("wall", "cpu"):
        return None
    if place is None:
        return ScriptFault(failure.message, hint=unknown)
    return replace(place, message=failure.message, hint=STOPPED_HERE)


STOPPED_HERE = "This is the line that ran when it was stopped."


def size_text(size: int) -> str:
    """Return a size in the largest unit that divides it, such as "128 MB"."""
    for unit, name in ((1024 * 1024, "MB"), (1024, "KB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def process_ended() -> Failure:
    """Return the failure of a call whose process ended or broke the protocol."""
    return Failure("unreachable", "The integration's process ended before it answered.")


def failed(failure: Failure) -> Outcome:
    """Return the outcome of a failure."""
    return Outcome(_STATUS[failure.kind], [], b"", failure)


def storable(value: object) -> str:
    """Return what a worker sent as text that can be sent and stored, at most 4,000 characters of it.

    Half of a surrogate pair, as in the name of a file that could not be decoded, and NUL are replaced.
    """
    return str(value)[:4000].encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def parse_fault(payload: bytes) -> ScriptFault:
    """Parse an error of a worker, which is not trusted, so every field is checked. Raises `FrameError`."""
    try:
        fields = json.loads(payload)
        values = {name: fields.get(name) for name in _FAULT_FIELDS}
    except (ValueError, AttributeError, RecursionError) as error:
        raise frames.FrameError("an error that is not JSON") from error
    for name in ("line", "column"):
        if not isinstance(values[name], int):
            values[name] = None
    for name in ("message", "file", "source", "hint"):
        if values[name] is not None:
            values[name] = storable(values[name])
    values["message"] = values["message"] or "the script failed"
    return ScriptFault(**values)
