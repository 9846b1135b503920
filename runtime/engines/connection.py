"""The host's side of a connection that carries one call at a time to a script, whose frames are not trusted."""

from __future__ import annotations

import json
import socket
import time
from abc import ABC, abstractmethod
from typing import NoReturn

from runtime.contract.invocation import Failure, Invocation, LoadReport, LogLine, Outcome
from runtime.engines import frames
from runtime.engines.call_state import CallState, CallStopped, over, parse_fault, process_ended, storable
from runtime.engines.engine import ScriptRefused
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.response_headers import passable

# Each costs the host time, so their number is limited to what a script could need.
_MAX_FAULTS = 8
_MAX_PLACES = 8
_MAX_CHUNKS = 20_000
_JSON = ("content-type", "application/json")


class CallConnection(ABC):
    """Speaks the protocol of `frames` for the call in flight; engines implement its start, end and stop."""

    def __init__(self, connection: socket.socket) -> None:
        """Take a connected stream socket."""
        self._connection = connection
        self._reader = frames.FrameReader(connection, {})
        self._stopped: Failure | None = None
        self._number = 0
        self._faults = self._chunks = self._places = 0
        self.state: CallState | None = None

    @abstractmethod
    def begin(self, state: CallState) -> None:
        """Start the clock of a call."""

    @abstractmethod
    def end(self) -> None:
        """Stop the clock; raises `CallStopped` if the watcher stopped the call first."""

    def load(self, frame: bytes) -> LoadReport:
        """Send what makes the other side load a script and wait; raises `ScriptRefused`, `CallStopped`."""
        state = self._flying()
        try:
            self._connection.sendall(frame)
            while True:
                kind, payload = self._next(state)
                if kind == frames.FAULT:
                    raise ScriptRefused(parse_fault(payload))
                if kind == frames.READY:
                    return _report(payload, state.trace.logs)
                raise frames.FrameError(f"frame {kind} while loading")
        except (EOFError, OSError, frames.FrameError) as error:
            self._give_up(error, state)

    def call(self, invocation: Invocation) -> tuple[Outcome, int]:
        """Send a call and return its answer with the flags of `frames`; raises `CallStopped`."""
        state = self._flying()
        event, environment, body = invocation.event, invocation.environment, invocation.fetch_body
        self._number = number = (self._number + 1) & 0xFFFFFFFF
        self._faults = self._chunks = self._places = 0
        size = -1 if body is None else len(body)
        head = frames.CALL_HEAD.pack(number, len(event), len(environment), size)
        length = len(head) + len(event) + len(environment) + max(size, 0)
        try:
            self._connection.sendall(
                b"".join((frames.HEAD.pack(frames.CALL, length), head, event, environment, body or b""))
            )
            with Waiting():
                payload = self._answer(state)
            return self._parse(state, payload)
        except (EOFError, OSError, frames.FrameError) as error:
            self._give_up(error, state)

    def chunk(self) -> bytes | None:
        """Return the next piece of a streamed body, None at its end; raises `CallStopped`."""
        state = self._flying()
        try:
            while True:
                kind, payload = self._next(state)
                if kind == frames.FAULT:
                    self._note_fault(state, payload)
                elif kind == frames.CHUNK:
                    state.trace.usage.response += len(payload)
                    self._chunks += 1
                    if state.trace.usage.response > state.limits.response or self._chunks > _MAX_CHUNKS:
                        raise CallStopped(over("response", state.limits))
                    return payload
                elif kind == frames.END:
                    return None
                else:  # an IDLE here means that the handler failed in the middle of its body
                    raise frames.FrameError(f"frame {kind} inside a body")
        except (EOFError, OSError, frames.FrameError) as error:
            self._give_up(error, state)

    def finish(self) -> None:
        """Wait for the work after the answer; raises `CallStopped`."""
        state = self._flying()
        try:
            while True:
                kind, payload = self._next(state)
                if kind == frames.IDLE and len(payload) == frames.IDLE_HEAD.size:
                    number, memory = frames.IDLE_HEAD.unpack(payload)
                    if number != self._number:
                        raise frames.FrameError("the end of another call")
                    _note_memory(state, memory)
                    return
                if kind != frames.FAULT:
                    raise frames.FrameError(f"frame {kind} after the answer")
                self._note_fault(state, payload)
        except (EOFError, OSError, frames.FrameError) as error:
            self._give_up(error, state)

    def _answer(self, state: CallState) -> bytes:
        while True:
            kind, payload = self._next(state)
            if kind == frames.ANSWER:
                return payload
            if kind != frames.FAULT:
                raise frames.FrameError(f"frame {kind} before the answer")
            self._note_fault(state, payload)

    def _note_fault(self, state: CallState, payload: bytes) -> None:
        """Record an error of the script; raises `FrameError` if there are more than our runtime ever sends."""
        self._faults += 1
        if self._faults > _MAX_FAULTS:
            raise frames.FrameError("too many errors")
        state.trace.fault = parse_fault(payload)

    def _flying(self) -> CallState:
        assert self.state is not None
        return self.state

    def _shut(self) -> None:
        """Wake the thread that waits for an answer, even if a descendant keeps the other side open."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it is closed already
            pass

    def _next(self, state: CallState) -> tuple[int, bytes]:
        """Return the next frame that is not a log line."""
        while True:
            kind, payload = self._reader.next(state.bounds)
            if kind == frames.LOG:
                state.log(payload)
            elif kind == frames.PLACE:
                self._places += 1
                if self._places > _MAX_PLACES:
                    raise frames.FrameError("too many places")
                state.place = parse_fault(payload)
            elif kind == frames.SPENT:
                raise CallStopped(over("memory", state.limits))
            else:
                return kind, payload

    def _parse(self, state: CallState, payload: bytes) -> tuple[Outcome, int]:
        usage = state.trace.usage
        usage.wall = time.monotonic() - state.started
        start = frames.ANSWER_HEAD.size
        if len(payload) < start:
            raise frames.FrameError("an answer without a head")
        number, status, flags, length, memory = frames.ANSWER_HEAD.unpack_from(payload)
        if number != self._number:
            raise frames.FrameError("the answer to another call")
        body = payload[start + length :]
        usage.response = len(body)
        if len(body) > state.limits.response:
            raise CallStopped(over("response", state.limits))
        _note_memory(state, memory)
        headers = _headers(payload[start : start + length], state)
        if not 200 <= status <= 599:
            state.note("error", f"the script answered the status {status}; it must be from 200 to 599")
            return Outcome(500, [_JSON], b'{"error":"Internal server error"}', fault=state.trace.fault), flags
        return Outcome(status, headers, body, fault=state.trace.fault), flags

    def _give_up(self, error: Exception, state: CallState) -> NoReturn:
        raise CallStopped(self._reason(error, state)) from error

    def _reason(self, error: Exception, state: CallState) -> Failure:
        if self._stopped is not None:
            return self._stopped
        if isinstance(error, frames.FrameTooLarge) and error.kind in (frames.ANSWER, frames.CHUNK):
            return over("response", state.limits)
        return process_ended()


def _note_memory(state: CallState, memory: int) -> None:
    state.trace.usage.memory = max(state.trace.usage.memory, min(memory, state.limits.memory * 2))


def _headers(raw: bytes, state: CallState) -> list[tuple[str, str]]:
    if not raw:
        return []
    parts = raw.decode("utf-8", "replace").split("\0")
    if len(parts) % 2:
        raise frames.FrameError("a header without a value")
    given = list(zip(parts[::2], parts[1::2], strict=True))
    headers, left_out = passable(given)
    for name in left_out:
        state.note("warn", f"the header {name[:100]!r} was left out: it is not valid HTTP")
    return headers


def _report(payload: bytes, logs: list[LogLine]) -> LoadReport:
    try:
        fields = json.loads(payload)
        names = ("components", "events", "content_sources")
        components, events, sources = (tuple(storable(item) for item in fields[name]) for name in names)
        actions = tuple((storable(component), storable(name)) for component, name in fields.get("actions", ()))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise frames.FrameError("a report that is not JSON") from error
    return LoadReport(components, events, sources, tuple(logs), actions)
