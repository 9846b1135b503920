"""The host's side of one worker: hand it a script, call it, end it. Nothing it sends is believed."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import threading
import time

from runtime.contract.invocation import Failure, Invocation, LoadReport, LogLine, Outcome
from runtime.engines.egress_account import Gate
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.engine import ScriptRefused
from runtime.engines.python_process.bundle import Bundle
from runtime.engines.python_process.child import frames
from runtime.engines.python_process.flight import CallStopped, Flight, gone, over, parse_fault
from runtime.engines.python_process.processes import resident
from runtime.engines.response_headers import passable

_HELLO_SECONDS = 10.0
_CREDENTIALS = struct.Struct("3i")
_HELLO = frames.pack(frames.HELLO, b"")


class WorkerBroken(Exception):
    """A worker could not be set up; no line of a script has run."""


class Worker:
    """One process that serves one script for one tenant, one call at a time."""

    def __init__(self, connection: socket.socket, proxy: EgressProxy, *, confined: bool) -> None:
        self._connection = connection
        self._proxy = proxy
        self._confined = confined
        self._lock = threading.Lock()
        self._reader = frames.FrameReader(connection, {})
        self._pidfd = -1
        self._gate: Gate | None = None
        self._stopped: Failure | None = None
        self._closed = False
        self._number = 0
        self._clock = 0
        self.pid = 0
        self.flight: Flight | None = None
        self.idle_since = 0.0
        self.idle_seen = 0.0
        self.idle_cpu = 0.0
        self.base_memory = 0
        self.last_call = False

    def open(self) -> None:
        """Wait until the process stands in its sandbox; raises `WorkerBroken`."""
        self._connection.settimeout(_HELLO_SECONDS)
        try:
            data, ancillary, _, _ = self._connection.recvmsg(4096, 1024)
        except OSError as error:
            raise WorkerBroken(f"the worker did not start: {error}") from error
        descriptors: list[int] = []
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors += [fd for (fd,) in struct.iter_unpack("i", content[: len(content) // 4 * 4])]
            elif level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self.pid = _CREDENTIALS.unpack_from(content)[0]
        listeners = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        if data != _HELLO or len(listeners) != 1 or self.pid <= 0:
            for listener in listeners:
                listener.close()
            raise WorkerBroken(data[frames.HEAD.size :].decode("utf-8", "replace") or "the worker ended at once")
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except OSError as error:
            listeners[0].close()
            raise WorkerBroken("the worker ended at once") from error
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        self._connection.settimeout(None)
        # The clock id of another process, as MAKE_PROCESS_CPUCLOCK makes it in the kernel's headers.
        self._clock = (~self.pid << 3) | 2
        self._gate = self._proxy.attach(listeners[0])
        try:
            self.base_memory = resident(self.pid)
        except OSError:
            # Gone, which the first call will notice, or hidden from this user: then the kernel's limit alone counts.
            self.base_memory = 0

    def begin(self, flight: Flight) -> None:
        """Start the clock of a call."""
        flight.cpu_before = self.cpu()
        if self._gate is not None:
            self._gate.account = flight.account
        self.flight = flight

    def end(self) -> None:
        """Stop the clock; raises `CallStopped` when the watcher was quicker."""
        with self._lock:
            flight, self.flight = self.flight, None
        if self._gate is not None:
            self._gate.account = None
        if flight is None:
            return
        flight.account.close()
        usage = flight.trace.usage
        usage.subrequests = flight.account.count
        usage.cpu = max(usage.cpu, self.cpu() - flight.cpu_before)
        if self._stopped is not None:
            raise CallStopped(self._stopped)

    def load(self, bundle: Bundle, memory: int) -> LoadReport:
        """Load a script; raises `ScriptRefused`, `CallStopped`."""
        flight = self.flight
        assert flight is not None
        name = bundle.entry.encode()
        head = frames.LOAD_HEAD.pack(memory, bundle.zipped, len(name))
        logs: list[LogLine] = flight.trace.logs
        try:
            self._connection.sendall(frames.pack(frames.LOAD, head + name + bundle.content))
            while True:
                kind, payload = self._next(flight)
                if kind == frames.FAULT:
                    raise ScriptRefused(parse_fault(payload))
                if kind == frames.READY:
                    return _report(payload, logs)
                raise frames.FrameError(f"frame {kind} while loading")
        except (EOFError, OSError, frames.FrameError) as error:
            raise CallStopped(self._reason(error, flight)) from error

    def call(self, invocation: Invocation) -> tuple[Outcome, int]:
        """Send a call and return its answer with the flags of `frames`; raises `CallStopped`."""
        flight = self.flight
        assert flight is not None
        event, environment, body = invocation.event, invocation.environment, invocation.fetch_body
        self._number = number = (self._number + 1) & 0xFFFFFFFF
        size = -1 if body is None else len(body)
        head = frames.CALL_HEAD.pack(number, len(event), len(environment), size)
        length = len(head) + len(event) + len(environment) + max(size, 0)
        try:
            self._connection.sendall(
                b"".join((frames.HEAD.pack(frames.CALL, length), head, event, environment, body or b""))
            )
            while True:
                kind, payload = self._next(flight)
                if kind == frames.ANSWER:
                    break
                if kind != frames.FAULT:
                    raise frames.FrameError(f"frame {kind} before the answer")
                flight.trace.fault = parse_fault(payload)
            return self._parse(flight, payload)
        except (EOFError, OSError, frames.FrameError) as error:
            raise CallStopped(self._reason(error, flight)) from error

    def chunk(self) -> bytes | None:
        """Return the next piece of a streamed body, None at its end; raises `CallStopped`."""
        flight = self.flight
        assert flight is not None
        try:
            while True:
                kind, payload = self._next(flight)
                if kind == frames.FAULT:
                    flight.trace.fault = parse_fault(payload)
                elif kind == frames.CHUNK:
                    flight.trace.usage.response += len(payload)
                    if flight.trace.usage.response > flight.limits.response:
                        raise CallStopped(over("response", flight.limits))
                    return payload
                elif kind == frames.END:
                    return None
                else:  # an IDLE here means that the handler failed in the middle of its body
                    raise frames.FrameError(f"frame {kind} inside a body")
        except (EOFError, OSError, frames.FrameError) as error:
            raise CallStopped(self._reason(error, flight)) from error

    def finish(self) -> None:
        """Wait for the work after the answer; raises `CallStopped`."""
        flight = self.flight
        assert flight is not None
        try:
            while True:
                kind, payload = self._next(flight)
                if kind == frames.IDLE and len(payload) == frames.IDLE_HEAD.size:
                    number, memory = frames.IDLE_HEAD.unpack(payload)
                    if number != self._number:
                        raise frames.FrameError("the end of another call")
                    self._note_memory(flight, memory)
                    return
                if kind != frames.FAULT:
                    raise frames.FrameError(f"frame {kind} after the answer")
                flight.trace.fault = parse_fault(payload)
        except (EOFError, OSError, frames.FrameError) as error:
            raise CallStopped(self._reason(error, flight)) from error

    def stop(self, flight: Flight, failure: Failure) -> None:
        """End the process because of a call, unless that call has just ended by itself."""
        with self._lock:
            if self.flight is not flight or self._stopped is not None:
                return
            self._stopped = failure
            self._kill()

    def close(self) -> None:
        """End the process and let go of everything it held."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._kill()
            self._connection.close()
            if self._pidfd >= 0:
                os.close(self._pidfd)
                self._pidfd = -1
        if self._gate is not None:
            self._proxy.detach(self._gate)

    def alive(self) -> bool:
        """Tell whether the process still runs."""
        if self._pidfd < 0:
            return False
        try:
            signal.pidfd_send_signal(self._pidfd, 0)
        except ProcessLookupError:
            return False
        return True

    def cpu(self) -> float:
        """Return the processor seconds the process has used so far, without its children."""
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return 0.0

    def _kill(self) -> None:
        try:
            if not self._confined and self.pid and self.alive():
                os.killpg(self.pid, signal.SIGKILL)
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            # Wakes the thread that waits for an answer even if a descendant keeps the other side open.
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _next(self, flight: Flight) -> tuple[int, bytes]:
        """Return the next frame that is not a log line."""
        while True:
            kind, payload = self._reader.next(flight.bounds)
            if kind == frames.LOG:
                flight.log(payload)
            elif kind == frames.SPENT:
                raise CallStopped(over("memory", flight.limits))
            else:
                return kind, payload

    def _parse(self, flight: Flight, payload: bytes) -> tuple[Outcome, int]:
        usage = flight.trace.usage
        usage.wall = time.monotonic() - flight.started
        start = frames.ANSWER_HEAD.size
        if len(payload) < start:
            raise frames.FrameError("an answer without a head")
        number, status, flags, length, memory = frames.ANSWER_HEAD.unpack_from(payload)
        if number != self._number:
            raise frames.FrameError("the answer to another call")
        body = payload[start + length :]
        usage.response = len(body)
        if len(body) > flight.limits.response:
            raise CallStopped(over("response", flight.limits))
        self._note_memory(flight, memory)
        headers = _headers(payload[start : start + length], flight)
        if not 200 <= status <= 599:
            flight.note("error", f"the script answered the status {status}; it must be from 200 to 599")
            return Outcome(500, [_JSON], b'{"error":"Internal server error"}', fault=flight.trace.fault), flags
        return Outcome(status, headers, body, fault=flight.trace.fault), flags

    def _note_memory(self, flight: Flight, memory: int) -> None:
        flight.trace.usage.memory = max(flight.trace.usage.memory, min(memory, flight.limits.memory * 2))

    def _reason(self, error: Exception, flight: Flight) -> Failure:
        if self._stopped is not None:
            return self._stopped
        if isinstance(error, frames.FrameTooLarge) and error.kind in (frames.ANSWER, frames.CHUNK):
            return over("response", flight.limits)
        return gone()


_JSON = ("content-type", "application/json")


def _headers(raw: bytes, flight: Flight) -> list[tuple[str, str]]:
    if not raw:
        return []
    parts = raw.decode("utf-8", "replace").split("\0")
    if len(parts) % 2:
        raise frames.FrameError("a header without a value")
    given = list(zip(parts[::2], parts[1::2], strict=True))
    headers, left_out = passable(given)
    for name in left_out:
        flight.note("warn", f"the header {name[:100]!r} was left out: it is not proper HTTP")
    return headers


def _report(payload: bytes, logs: list[LogLine]) -> LoadReport:
    try:
        given = json.loads(payload)
        names = ("components", "events", "content_sources")
        components, events, sources = (tuple(str(item) for item in given[name]) for name in names)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise frames.FrameError("a report that is not JSON") from error
    return LoadReport(components, events, sources, tuple(logs))
