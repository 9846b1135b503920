"""The host's side of one worker: hand it a script, call it, end it. Nothing it sends is believed."""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import threading
import time

from runtime.contract.invocation import Failure, LoadReport, LogLine
from runtime.engines import frames
from runtime.engines.call_state import CallState, CallStopped, over, process_ended
from runtime.engines.calling import ProcessBroken
from runtime.engines.cgroups import Group, Groups
from runtime.engines.connection import CallConnection
from runtime.engines.egress_account import Gate
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.priority import LONG_SECONDS, LongCalls, Priority
from runtime.engines.process_handle import ProcessHandle, hold
from runtime.engines.processes import hung_up, measure, readable, resident, scratch, shown
from runtime.engines.python_process.bundle import Bundle
from runtime.engines.python_process.child.confine import THREADS

_HELLO_SECONDS = 10.0
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into
_LOOK_SECONDS = 0.002  # of processor time without a call, after which the memory is looked at again
_BUSY_SECONDS = 0.01  # of processor time within a call, after which it is looked at again
_REST_SECONDS = 0.25  # after which it is looked at again if it has run at all: megabytes are written in milliseconds
_PLACE_SECONDS = 0.1  # for a script that is over its time to say where it is
_COSTLY_SECONDS = 0.2  # of processor time within a call, which costs more than a new worker for the next one
_CREDENTIALS = struct.Struct("3i")
_LONGEST_WORD = 4096
_LOCKED = frames.pack(frames.LOCKED, b"\1")
_BESIDE = 96 * 1024 * 1024  # in a control group: the disk of a worker, and what the kernel holds for it


class Worker(CallConnection):
    """One process that serves one script for one tenant, one call at a time."""

    def __init__(
        self,
        connection: socket.socket,
        proxy: EgressProxy,
        computing: LongCalls,
        *,
        confined: bool,
        groups: Groups | None = None,
    ) -> None:
        super().__init__(connection)
        self._proxy = proxy
        self._confined = confined
        self._groups = groups
        self._group: Group | None = None
        self.buffers_bounded = False
        self._lock = threading.Lock()
        self._handle: ProcessHandle | None = None
        self._gate: Gate | None = None
        self._closed = False
        self._clock = 0
        self.pid = 0
        self.idle_since = 0.0
        self.used_by = ""  # the organization of the last call
        self._used = self._rested = 0.0
        self._looked = self._watched = self._watched_at = 0.0
        self.base_memory = 0
        self.last_call = False
        self._late: tuple[Failure, float] | None = None  # why the call will be stopped, and by when
        self._priority = Priority(computing)
        self.load_logs: list[LogLine] = []  # from loading, for the first call's trace

    def arrived(self) -> bool:
        """Return whether the process has said something that `open` has not read yet."""
        return self.pid == 0 and readable(self._connection.fileno(), 0.0)

    def open(self) -> None:
        """Wait until the process is in its sandbox; raises `ProcessBroken`."""
        if self.pid:
            if not self.alive():
                raise ProcessBroken("the worker ended while it waited")
            return
        self._connection.settimeout(_HELLO_SECONDS)
        try:
            listeners, word = self._hear()
        except OSError as error:
            raise ProcessBroken(f"the worker did not start: {error}") from error
        if len(listeners) != 1 or self.pid <= 0:
            for listener in listeners:
                listener.close()
            raise ProcessBroken(word.decode("utf-8", "replace") or "the worker ended at once")
        try:
            locked = self._connection.recv(len(_LOCKED), socket.MSG_WAITALL)
            if locked[:-1] != _LOCKED[:-1]:
                raise ProcessBroken("the worker could not drop its privileges")
            self.buffers_bounded = locked == _LOCKED
            self._handle = hold(self.pid, lambda: not hung_up(self._connection.fileno()))
        except OSError as error:
            listeners[0].close()
            raise ProcessBroken("the worker ended at once") from error
        except ProcessBroken:
            listeners[0].close()
            raise
        if self._confined and sys.platform == "linux":
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

    def _hear(self) -> tuple[list[socket.socket], bytes]:
        """Read what the worker says first; gives the sockets that came with it, and why it did not start.

        In a sandbox the kernel says which process it is. Without one it says so itself, before it has a script.
        """
        head, ancillary, _, _ = self._connection.recvmsg(frames.HEAD.size, 1024)
        descriptors: list[int] = []
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors += [fd for (fd,) in struct.iter_unpack("i", content[: len(content) // 4 * 4])]
            elif sys.platform == "linux" and level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self.pid = _CREDENTIALS.unpack_from(content)[0]
        listeners = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        if len(head) < frames.HEAD.size:
            return listeners, b""
        kind, size = frames.HEAD.unpack(head)
        word = self._connection.recv(min(size, _LONGEST_WORD), socket.MSG_WAITALL) if size else b""
        if kind != frames.HELLO or len(word) != frames.HELLO_HEAD.size:
            self.pid = 0
        elif not self._confined:
            (self.pid,) = frames.HELLO_HEAD.unpack(word)
        return listeners, b"" if kind == frames.HELLO else word

    def begin(self, state: CallState) -> None:
        """Start the clock of a call."""
        state.cpu_before = self.cpu()
        self._late = None
        self._priority.recover(self.pid)
        self.state = state
        self.open_gate()

    def open_gate(self) -> None:
        """Let requests of the script out, on the account of its call."""
        if self._gate is not None and self.state is not None:
            self._gate.open(self.state.account)

    def end(self) -> None:
        """Stop the clock; raises `CallStopped` if the watcher stopped the call first."""
        with self._lock:
            state, self.state = self.state, None
            # Where only root may raise a priority, a new worker takes the next call: it costs less than this call has.
            self.last_call = not self._priority.call_ended(self.pid) or self.last_call
        if self._gate is not None:
            self._gate.shut()
        if state is None:
            return
        state.account.close()
        usage = state.trace.usage
        usage.subrequests = state.account.count
        self._used = self.cpu()
        usage.cpu = max(usage.cpu, self._used - state.cpu_before)
        if self._stopped is not None:
            raise CallStopped(self._stopped)

    def load_bundle(self, bundle: Bundle, memory: int) -> LoadReport:
        """Load a script, which may request nothing meanwhile.

        Raises `ScriptRefused`, `CallStopped`, `ProcessBroken`.
        """
        if self._gate is not None:
            self._gate.shut()
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
        state = self.state
        if state is None or now - state.started < _YOUNG_SECONDS:
            return
        if self._late is not None and (state.place is not None or now > self._late[1]):
            self.stop(state, self._late[0])
            return
        if now > state.deadline:
            self._ask(over("wall", state.limits), now)
        if state.account.floods():
            self.stop(state, over("subrequests", state.limits))
            return
        # A confined script is one process: as long as that does not run, it holds what it held. Looking at each of many
        # that sleep would take the interpreter from everybody's requests.
        used = self.cpu()
        if self._confined and self._quiet(used - self._watched, now - self._watched_at):
            return
        self._watched, self._watched_at = used, now
        memory, children_cpu = self._measure()
        usage = state.trace.usage
        usage.cpu = max(usage.cpu, used - state.cpu_before + children_cpu)
        usage.memory = max(usage.memory, shown(memory, state.limits.memory))
        if usage.cpu > state.limits.cpu:
            self._ask(over("cpu", state.limits), now)
        elif usage.memory > state.limits.memory:
            self.stop(state, over("memory", state.limits))
        elif usage.cpu > LONG_SECONDS:
            with self._lock:
                if self.state is state and not self._closed:
                    costly = usage.cpu > _COSTLY_SECONDS
                    self._priority.lower(self.pid, state.account.owner[0], for_good=costly)

    def _ask(self, failure: Failure, now: float) -> None:
        """Have a script that is over its time say which line runs, before it is stopped a moment later."""
        if self._late is None and self._handle is not None:
            self._late = failure, now + _PLACE_SECONDS
            self._handle.ask()

    def _quiet(self, ran: float, since: float) -> bool:
        """Return whether a worker that ran `ran` seconds in the last `since` need not be looked into now."""
        return ran == 0.0 or (0.0 < ran < _BUSY_SECONDS and since < _REST_SECONDS)

    def stop(self, state: CallState, failure: Failure) -> None:
        """End the process because of a call, unless that call has just ended by itself."""
        with self._lock:
            if self.state is not state or self._stopped is not None:
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
            self._priority.forget()
            if self._handle is not None:
                self._handle.close()
            self._connection.close()
        if self._gate is not None:
            self._proxy.detach(self._gate)
        if self._groups is not None and self._group is not None:
            self._groups.remove(self._group)

    def alive(self) -> bool:
        """Return whether the process still runs."""
        return self._handle is not None and self._handle.alive()

    def cpu(self) -> float:
        """Return the processor seconds the process has used so far, without its children."""
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return 0.0

    def rest(self) -> None:
        """Begin to count what the process uses without a call, since the last one ended."""
        self._rested, self._looked = self._used, 0.0

    def active_while_idle(self, most_cpu: float, most_memory: int) -> bool:
        """Return whether the process used more processor time since it rested, or holds more memory, than it may.

        Seconds and bytes. Memory is looked at only after the process has run: else it holds what it held.
        """
        used = self.cpu() - self._rested
        if used - self._looked < _LOOK_SECONDS:
            return False
        self._looked = used
        memory, children_cpu = self._measure()
        return used + children_cpu > most_cpu or memory > most_memory

    def _reason(self, error: Exception, state: CallState) -> Failure:
        reason = super()._reason(error, state)
        out_of_memory = reason == process_ended() and self._group is not None and self._group.ran_out_of_memory()
        return over("memory", state.limits) if out_of_memory else reason

    def memory(self) -> int:
        """Return the bytes the process and its children hold beyond those it began with."""
        return self._measure()[0]

    def _measure(self) -> tuple[int, float]:
        memory, cpu = measure(self.pid, self.base_memory)
        return memory + (scratch(self.pid) if self._confined else 0), cpu

    def _kill(self) -> None:
        if self._handle is not None:
            if not self._confined and self._handle.alive():
                try:
                    os.killpg(self.pid, signal.SIGKILL)
                except ProcessLookupError:  # it has just ended
                    pass
            self._handle.kill()
        self._shut()
