"""The host's side of one worker: hand it a script, call it, end it. Nothing it sends is believed."""

from __future__ import annotations

import os
import signal
import socket
import struct
import threading
import time

from runtime.contract.invocation import Failure, LoadReport, LogLine
from runtime.engines import frames
from runtime.engines.calling import ProcessBroken
from runtime.engines.cgroups import Group, Groups
from runtime.engines.connection import CallConnection
from runtime.engines.egress_account import Gate
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.flight import CallStopped, Flight, gone, over
from runtime.engines.processes import measure, readable, resident, scratch
from runtime.engines.python_process.bundle import Bundle
from runtime.engines.python_process.child.confine import THREADS

_HELLO_SECONDS = 10.0
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into
_LOOK_SECONDS = 0.002  # of processor time without a call, after which the memory is looked at again
_CREDENTIALS = struct.Struct("3i")
_HELLO = frames.pack(frames.HELLO, b"")
_LOCKED = frames.pack(frames.LOCKED, b"\1")
_BESIDE = 96 * 1024 * 1024  # in a control group: the disk of a worker, and what the kernel holds for it


class Worker(CallConnection):
    """One process that serves one script for one tenant, one call at a time."""

    def __init__(
        self, connection: socket.socket, proxy: EgressProxy, *, confined: bool, groups: Groups | None = None
    ) -> None:
        super().__init__(connection)
        self._proxy = proxy
        self._confined = confined
        self._groups = groups
        self._group: Group | None = None
        self.buffers_bounded = False
        self._lock = threading.Lock()
        self._pidfd = -1
        self._gate: Gate | None = None
        self._closed = False
        self._clock = 0
        self.pid = 0
        self.idle_since = 0.0
        self._rested = 0.0
        self._looked = 0.0
        self.base_memory = 0
        self.last_call = False
        self.told: list[LogLine] = []  # while it was loaded before anybody called: the first call's trace shows it

    def arrived(self) -> bool:
        """Tell whether the process has said something that `open` has not read yet."""
        return self.pid == 0 and readable(self._connection.fileno(), 0.0)

    def open(self) -> None:
        """Wait until the process stands in its sandbox, unless it does already; raises `ProcessBroken`."""
        if self.pid:
            if not self.alive():
                raise ProcessBroken("the worker ended while it waited")
            return
        self._connection.settimeout(_HELLO_SECONDS)
        try:
            data, ancillary, _, _ = self._connection.recvmsg(4096, 1024)
        except OSError as error:
            raise ProcessBroken(f"the worker did not start: {error}") from error
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
            raise ProcessBroken(data[frames.HEAD.size :].decode("utf-8", "replace") or "the worker ended at once")
        try:
            locked = self._connection.recv(len(_LOCKED), socket.MSG_WAITALL)
            if locked[:-1] != _LOCKED[:-1]:
                raise ProcessBroken("the worker could not give up its rights")
            self.buffers_bounded = locked == _LOCKED
            self._pidfd = os.pidfd_open(self.pid)
        except OSError as error:
            listeners[0].close()
            raise ProcessBroken("the worker ended at once") from error
        except ProcessBroken:
            listeners[0].close()
            raise
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
        self.flight = flight
        self.open_gate()

    def open_gate(self) -> None:
        """Let requests of the script out, on the account of its call."""
        if self._gate is not None and self.flight is not None:
            self._gate.account = self.flight.account

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

    def load_bundle(self, bundle: Bundle, memory: int) -> LoadReport:
        """Load a script, which may request nothing meanwhile.

        Raises `ScriptRefused`, `CallStopped`, `ProcessBroken`.
        """
        if self._gate is not None:
            self._gate.account = None
        if self._groups is not None:
            try:
                self._group = self._groups.put(self.pid, memory + _BESIDE, THREADS)
            except OSError as error:
                raise ProcessBroken(f"the worker cannot be put into a control group: {error}") from error
        name = bundle.entry.encode()
        head = frames.LOAD_HEAD.pack(memory, bundle.zipped, len(name))
        return self.load(frames.pack(frames.LOAD, head + name + bundle.content))

    def watch(self, now: float) -> None:
        """End the call in flight if it is over time, processor time or memory."""
        flight = self.flight
        if flight is None or now - flight.started < _YOUNG_SECONDS:
            return
        if now > flight.deadline:
            self.stop(flight, over("wall", flight.limits))
            return
        if flight.account.hammered():
            self.stop(flight, over("subrequests", flight.limits))
            return
        memory, children_cpu = self._measure()
        usage = flight.trace.usage
        usage.cpu = max(usage.cpu, self.cpu() - flight.cpu_before + children_cpu)
        usage.memory = max(usage.memory, memory)
        if usage.cpu > flight.limits.cpu:
            self.stop(flight, over("cpu", flight.limits))
        elif usage.memory > flight.limits.memory:
            self.stop(flight, over("memory", flight.limits))

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

        if self._groups is not None and self._group is not None:
            self._groups.remove(self._group)

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

    def rest(self) -> None:
        """Note what the process has used when a call ends: what it uses from now on is nobody's."""
        self._rested, self._looked = self.cpu(), 0.0

    def restless(self, most_cpu: float, most_memory: int) -> bool:
        """Tell whether the process used more processor time since it rested, or holds more memory, than it may.

        Seconds and bytes. Memory is looked at only after the process has run: else it holds what it held.
        """
        used = self.cpu() - self._rested
        if used - self._looked < _LOOK_SECONDS:
            return False
        self._looked = used
        memory, children_cpu = self._measure()
        return used + children_cpu > most_cpu or memory > most_memory

    def _reason(self, error: Exception, flight: Flight) -> Failure:
        reason = super()._reason(error, flight)
        spent = reason == gone() and self._group is not None and self._group.spent()
        return over("memory", flight.limits) if spent else reason

    def _measure(self) -> tuple[int, float]:
        memory, cpu = measure(self.pid, self.base_memory)
        return memory + (scratch(self.pid) if self._confined else 0), cpu

    def _kill(self) -> None:
        try:
            if not self._confined and self.pid and self.alive():
                os.killpg(self.pid, signal.SIGKILL)
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._shut()
