"""The connections to an isolate: one that controls it, and one for each call under way."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from runtime.contract.invocation import Failure
from runtime.engines import frames
from runtime.engines.connection import CallConnection
from runtime.engines.egress_account import Gate
from runtime.engines.flight import CallStopped, Flight, gone

if TYPE_CHECKING:
    from runtime.engines.javascript.process import Isolate


class Channel(CallConnection):
    """A connection to an isolate with a way out of its own: one call at a time, beside others."""

    def __init__(self, isolate: Isolate, connection: socket.socket, number: int, gate: Gate) -> None:
        super().__init__(connection)
        self.isolate = isolate
        self.number = number
        self.gate = gate
        self._ending = threading.Lock()

    def begin(self, flight: Flight) -> None:
        """Start the clock of a call."""
        flight.cpu_before = self.isolate.share.enter()
        self.gate.account = flight.account
        self.flight = flight

    def end(self) -> None:
        """Stop the clock; raises `CallStopped` when the watcher was quicker."""
        with self._ending:
            flight, self.flight = self.flight, None
        self.gate.account = None
        if flight is None:
            return
        usage = flight.trace.usage
        usage.cpu = max(usage.cpu, self.isolate.share.leave() - flight.cpu_before)
        usage.memory = max(usage.memory, self.isolate.memory())
        usage.subrequests = flight.account.count
        flight.account.close()
        if self._stopped is not None:
            raise CallStopped(self._stopped)

    def stop(self, flight: Flight, failure: Failure) -> None:
        """Let nobody wait for this call any longer, unless it has just ended by itself; the isolate goes on."""
        with self._ending:
            if self.flight is flight and self._stopped is None:
                self._stopped = failure
                self._shut()

    def close(self) -> None:
        """Let go of the connection."""
        self._shut()
        self._connection.close()

    def _reason(self, error: Exception, flight: Flight) -> Failure:
        reason = super()._reason(error, flight)
        if reason != gone():
            return reason
        # Its end, or nonsense: no other call may depend on it.
        self.isolate.kill()
        return self.isolate.cause(flight)


class Control(CallConnection):
    """The connection over which a script is loaded and the event loop is asked for signs of life."""

    def begin(self, flight: Flight) -> None:
        self.flight = flight

    def end(self) -> None:
        self.flight = None

    def send(self, kind: int, payload: bytes = b"") -> None:
        """Send a frame; what fails shows at the next call."""
        try:
            self._connection.sendall(frames.pack(kind, payload))
        except OSError:
            pass

    def heard(self) -> bool:
        """Tell whether the isolate has said anything since it was last asked."""
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
