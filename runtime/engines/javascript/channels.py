"""The connections to an isolate: one that controls it, and one for each call in flight."""

from __future__ import annotations

import socket
import threading
from typing import Protocol

from runtime.contract.invocation import Failure
from runtime.engines import frames
from runtime.engines.call_state import CallState, CallStopped, process_ended
from runtime.engines.connection import CallConnection
from runtime.engines.egress_account import Gate
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.processes import shown


class Process(Protocol):
    """The interface of an isolate that its channels need."""

    share: CpuShare

    def memory(self) -> int:
        """Return the bytes the process holds beyond those it began with."""

    def kill(self) -> None:
        """End the process at once."""

    def cause(self, state: CallState) -> Failure:
        """Return why the process has ended."""


class Channel(CallConnection):
    """A connection to an isolate with its own egress: one call at a time, in parallel with other channels."""

    def __init__(self, isolate: Process, connection: socket.socket, number: int, gate: Gate) -> None:
        super().__init__(connection)
        self.isolate = isolate
        self.number = number
        self.gate = gate
        self._ending = threading.Lock()

    def begin(self, state: CallState) -> None:
        """Start the clock of a call."""
        state.cpu_before = self.isolate.share.enter()
        self.gate.open(state.account)
        self.state = state

    def end(self) -> None:
        """Stop the clock; raises `CallStopped` if the watcher stopped the call first."""
        with self._ending:
            state, self.state = self.state, None
        self.gate.shut()
        if state is None:
            return
        usage = state.trace.usage
        usage.cpu = max(usage.cpu, self.isolate.share.leave() - state.cpu_before)
        usage.memory = max(usage.memory, shown(self.isolate.memory(), state.limits.memory))
        usage.subrequests = state.account.count
        state.account.close()
        if self._stopped is not None:
            raise CallStopped(self._stopped)

    def stop(self, state: CallState, failure: Failure) -> None:
        """Stop waiting for this call, unless it has just ended by itself; the isolate continues."""
        with self._ending:
            if self.state is state and self._stopped is None:
                self._stopped = failure
                self._shut()

    def close(self) -> None:
        """Let go of the connection."""
        self._shut()
        self._connection.close()

    def _reason(self, error: Exception, state: CallState) -> Failure:
        reason = super()._reason(error, state)
        if reason != process_ended():
            return reason
        # Its end, or nonsense: no other call may depend on it.
        self.isolate.kill()
        return self.isolate.cause(state)


class Control(CallConnection):
    """The connection over which a script is loaded and the event loop is pinged."""

    def begin(self, state: CallState) -> None:
        self.state = state

    def end(self) -> None:
        self.state = None

    def send(self, kind: int, payload: bytes = b"") -> None:
        """Send a frame; a failure shows at the next call."""
        try:
            self._connection.sendall(frames.pack(kind, payload))
        except OSError:
            pass

    def heard(self) -> bool:
        """Return whether the isolate has sent anything since the last ping."""
        try:
            return bool(self._connection.recv(4096, socket.MSG_DONTWAIT))
        except OSError:
            return False

    def stop(self, failure: Failure) -> None:
        """End the loading of a script."""
        self._stopped = failure
        self._shut()

    def close(self) -> None:
        """Let go of the connection."""
        self._shut()
        self._connection.close()
