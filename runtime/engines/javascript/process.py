"""The host's side of one isolate: a Deno process in its sandbox that serves one script."""

from __future__ import annotations

import logging
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from runtime.contract.invocation import Failure, Limits, LoadReport, LogLine, Script
from runtime.engines import frames
from runtime.engines.calling import PoolBusy, ProcessBroken
from runtime.engines.cgroups import Group, Groups
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.flight import CallStopped, Flight, gone, over
from runtime.engines.javascript.bundle import BUNDLE, MAP, script_name, without_map
from runtime.engines.javascript.channels import Channel, Control
from runtime.engines.javascript.command import HEADROOM, STDERR_BYTES, THREADS, LaunchPad
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.processes import measure, readable, resident
from runtime.engines.sandbox import started_by_root
from runtime.engines.shares import Shares

_log = logging.getLogger(__name__)

_HELLO_SECONDS = 15.0
_LOOK_SECONDS = 0.002  # of processor time without a call, after which the memory is looked at again
_ACCEPT_SECONDS = 0.1  # between two looks whether the process still runs
_CREDENTIALS = struct.Struct("3i")
_NUMBER = struct.Struct("<I")
_CONTROL = 0xFFFFFFFF
_BLOCKED_SECONDS = 0.5  # no answer to a ping for so long: the script does not let the event loop run
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into
_MEASURE_SECONDS = 0.2  # between two looks at the memory of a process whose calls are short
_SPENT = ("out of memory", "heap limit", "OOM")


class Isolate:
    """One process that serves one script, for several calls at once."""

    def __init__(
        self, pad: LaunchPad, proxy: EgressProxy, memory: int, most_channels: int, groups: Groups | None = None
    ) -> None:
        """Start the process with `memory` bytes for its heap; raises `SandboxUnavailable`, `ProcessBroken`."""
        self._proxy = proxy
        self._groups = groups
        self._group: Group | None = None
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._freed = threading.Condition(self._lock)
        self._most = most_channels
        self._shares = Shares(most_channels)
        self._owners: dict[Channel, str] = {}
        self.owner = ""  # the organization whose call had it started
        self._free: list[Channel] = []
        self._busy: set[Channel] = set()
        self._opened = 0
        self._count = 0
        self._closed = False
        self._ended = False
        self._asked = 0.0
        self._measured = 0.0
        self._memory = 0
        self._spent: bool | None = None
        self.pid = 0
        self.told: list[LogLine] = []  # while it was loaded before anybody called: the first call's trace shows it
        self._pidfd = -1
        self.idle_since = time.monotonic()
        self._idle_cpu = 0.0
        self._idle_seen = 0.0
        self._looked = 0.0
        self._weighed = 0.0
        self._most_memory = memory + HEADROOM
        try:
            self._folder = pad.folders.new()
        except OSError as error:
            raise ProcessBroken(f"no temporary folder can be made: {error}") from error
        self._sockets, self._scripts = Path(self._folder, "host"), Path(self._folder, "script")
        self._stderr = Path(self._folder, "stderr")
        self._listener = socket.socket(socket.AF_UNIX)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Control | None = None
        try:
            self._start(pad, memory)
        except OSError as error:
            self.close()
            raise ProcessBroken(f"it could not be set up: {error}") from error
        except BaseException:
            self.close()
            raise
        self.share = CpuShare(self.pid)
        self.base_memory = self._resident()

    def load(self, script: Script, limits: Limits) -> tuple[LoadReport, Flight]:
        """Load a script; gives the flight with what it logged.

        Raises `ScriptRefused`, `CallStopped`, `ProcessBroken`.
        """
        code, source_map = without_map(script.source)
        try:
            for name, text in ((BUNDLE, code), (MAP, source_map)):
                file = Path(self._scripts, name)
                file.write_text(text, encoding="utf-8", errors="replace")
                file.chmod(0o644)
        except OSError as error:
            raise ProcessBroken(f"the script cannot be written to its folder: {error}") from error
        control = self._control
        assert control is not None
        flight = Flight(limits)
        flight.cpu_before = self.share.enter()
        control.begin(flight)
        try:
            return control.load(frames.pack(frames.LOAD, script_name(script).encode())), flight
        except CallStopped as stopped:
            failure = self.cause(flight) if stopped.failure == gone() else stopped.failure
            raise CallStopped(failure) from stopped
        finally:
            control.end()
            self.share.leave()
            self.idle_since = time.monotonic()

    def take(self, owner: str, deadline: float) -> Channel | None:
        """Return a channel for a call of an organization, None when there was none in time.

        Raises `ProcessBroken`, `PoolBusy`.
        """
        with self._lock:
            while True:
                if self._ended:
                    raise ProcessBroken("the isolate has ended")
                if self._shares.open_to(owner):
                    if self._free:
                        channel = self._free.pop()
                        self._lend(channel, owner)
                        return channel
                    if self._count < self._most:
                        self._count += 1
                        self._shares.enter(owner)
                        break
                left = deadline - time.monotonic()
                if left <= 0 or not self._freed.wait(left):
                    return None
        try:
            channel = self._open()
        except BaseException:
            with self._lock:
                self._count -= 1
                self._shares.leave(owner)
            raise
        with self._lock:
            self._busy.add(channel)
            self._owners[channel] = owner
        return channel

    def give(self, channel: Channel) -> None:
        """Take a channel back after a call."""
        with self._lock:
            self._unlend(channel)
            if not self._closed:
                self._free.append(channel)

    def drop(self, channel: Channel) -> None:
        """Give up a channel whose call went wrong."""
        with self._lock:
            self._count -= 1
            self._unlend(channel)
        channel.close()
        self._proxy.detach(channel.gate)

    def _lend(self, channel: Channel, owner: str) -> None:
        self._shares.enter(owner)
        self._owners[channel] = owner
        self._busy.add(channel)

    def _unlend(self, channel: Channel) -> None:
        self._busy.discard(channel)
        owner = self._owners.pop(channel, None)
        if owner is not None:
            self._shares.leave(owner)
        self.idle_since = time.monotonic()
        # All who wait, not one: the place may be for another organization than that of whoever waits longest.
        self._freed.notify_all()

    def idle(self) -> bool:
        """Tell whether no call is under way."""
        return not self._busy

    def alive(self) -> bool:
        """Tell whether the process still runs."""
        return not self._ended and not readable(self._pidfd, 0.0)

    def loadable(self) -> bool:
        """Tell whether the process still runs and has its folder, as one kept for later may not."""
        return self.alive() and self._scripts.is_dir()

    def memory(self) -> int:
        """Return the bytes the process holds beyond those it began with, looked up a moment ago at the most."""
        now = time.monotonic()
        if now - self._measured > _MEASURE_SECONDS:
            self._measured, self._memory = now, measure(self.pid, self.base_memory)[0]
        return self._memory

    def watch(self, now: float) -> None:
        """End calls that are over time, and the process when it is over processor time or memory, or hangs."""
        control = self._control
        if control is None or self._closed:
            return
        with self._lock:
            flights = [(channel, flight) for channel in self._busy if (flight := channel.flight) is not None]
        loading = control.flight
        if loading is not None:
            self._watch_loading(control, loading, now)
            return
        if not flights:
            self._asked = 0.0
            return
        if self._overgrown(now):
            # Of many short calls none is looked at: whichever has been at it longest stands for all.
            channel, flight = min(flights, key=lambda one: one[1].started)
            self._end(channel, flight, over("memory", flight.limits))
            return
        blocked = self._blocked(control, now, [flight for _, flight in flights])
        for channel, flight in flights:
            if now - flight.started < _YOUNG_SECONDS:
                continue
            self._note_usage(flight)
            if flight.account.hammered():
                self._end(channel, flight, over("subrequests", flight.limits))
            elif flight.trace.usage.cpu > flight.limits.cpu:
                self._end(channel, flight, over("cpu", flight.limits))
            elif flight.trace.usage.memory > flight.limits.memory + HEADROOM:
                self._end(channel, flight, over("memory", flight.limits))
            elif now > flight.deadline:
                if blocked:
                    self._end(channel, flight, over("wall", flight.limits))
                elif not self._asked:
                    channel.stop(flight, over("wall", flight.limits))

    def cause(self, flight: Flight) -> Failure:
        """Return why the process has ended, as far as a call is concerned."""
        return over("memory", flight.limits) if self._ran_out_of_memory() else gone()

    def kill(self) -> None:
        """End the process at once."""
        with self._lock:
            self._ended = True
            if self._pidfd >= 0:
                try:
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                except ProcessLookupError:  # it has ended by itself
                    pass

    def restless(self, most: float) -> bool:
        """Tell whether the process used more seconds of processor time since it became idle, or holds too much memory.

        Memory is looked at only after the process has run: else it holds what it held.
        """
        used = self.share.total()
        if self._idle_seen != self.idle_since:
            self._idle_seen, self._idle_cpu, self._looked = self.idle_since, used, 0.0
        if used - self._looked < _LOOK_SECONDS:
            return False
        self._looked = used
        return used - self._idle_cpu > most or measure(self.pid, self.base_memory)[0] > self._most_memory

    def close(self) -> bool:
        """End the process and let go of everything it held; False when that was done before."""
        with self._lock:
            if self._closed:
                return False
            self._closed = True
            channels = [*self._free, *self._busy]
            self._free.clear()
            self._freed.notify_all()
        self.kill()
        if self._process is not None:
            if self._pidfd < 0:  # it never said which process it is
                self._process.kill()
            self._ran_out_of_memory()  # waits for the end
            self._process.kill()
            self._process.wait()
        for channel in channels:
            channel.close()
            self._proxy.detach(channel.gate)
        if self._control is not None:
            self._control.close()
        self._listener.close()
        with self._lock:
            if self._pidfd >= 0:
                os.close(self._pidfd)
                self._pidfd = -1
        if self._groups is not None and self._group is not None:
            self._groups.remove(self._group)
        shutil.rmtree(self._folder, ignore_errors=True)
        return True

    def _start(self, pad: LaunchPad, memory: int) -> None:
        for folder in (self._sockets, self._scripts):
            folder.mkdir()
            folder.chmod(0o755)  # the isolate may be another user; the folder around these is closed to others
        _bind(self._listener, self._sockets / "calls")
        self._listener.settimeout(0)
        self._process = pad.start(self._sockets, self._scripts, self._stderr, memory)
        number, connection = self._accept()
        if number != _CONTROL:
            connection.close()
            raise ProcessBroken("the isolate spoke out of turn")
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.pid = _CREDENTIALS.unpack(credentials)[0]
        self._control = Control(connection)
        if self._groups is not None:
            self._group = self._groups.put(self.pid, memory + HEADROOM, THREADS)
        try:
            self._pidfd = os.pidfd_open(self.pid)
            if pad.confined and not started_by_root():
                # Not before: outside its user namespace this user's other processes would count, too.
                resource.prlimit(self.pid, resource.RLIMIT_NPROC, (THREADS, THREADS))
        except ProcessLookupError as error:
            raise ProcessBroken("the isolate ended at once") from error

    def _open(self) -> Channel:
        """Open one more channel; raises `ProcessBroken`, `PoolBusy` where the host has no room for one."""
        with self._opening:
            number = self._opened
            try:
                gate = self._proxy.attach(self._way_out(number))
            except FileNotFoundError as error:
                raise ProcessBroken("the isolate's folder is gone") from error
            except OSError as error:
                _log.error("no further call can be taken by an isolate: %s", error)
                raise PoolBusy from error
            self._opened += 1
            try:
                # The first channel is opened by the isolate without being asked.
                if number > 0:
                    assert self._control is not None
                    self._control.send(frames.OPEN, _NUMBER.pack(number))
                told, connection = self._accept()
                if told != number:
                    connection.close()
                    raise ProcessBroken("the isolate spoke out of turn")
            except BaseException:
                self._proxy.detach(gate)
                raise
        return Channel(self, connection, number, gate)

    def _way_out(self, number: int) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        try:
            _bind(listener, self._sockets / f"egress-{number}")
        except OSError:
            listener.close()
            raise
        return listener

    def _accept(self) -> tuple[int, socket.socket]:
        """Return the next connection and the number it says; raises `ProcessBroken`."""
        deadline = time.monotonic() + _HELLO_SECONDS
        while not readable(self._listener.fileno(), _ACCEPT_SECONDS):
            if self._ended or self._process is None or self._process.poll() is not None:
                raise ProcessBroken(f"the isolate ended before it connected: {self._said()}")
            if time.monotonic() > deadline:
                raise ProcessBroken("the isolate did not connect in time")
        connection, _ = self._listener.accept()
        connection.settimeout(_HELLO_SECONDS)
        try:
            kind, payload = frames.FrameReader(connection, {frames.HELLO: _NUMBER.size}).next()
            number: int = _NUMBER.unpack(payload)[0]
        except (EOFError, OSError, frames.FrameError, struct.error) as error:
            connection.close()
            raise ProcessBroken(f"the isolate did not introduce itself: {self._said() or error}") from error
        connection.settimeout(None)
        assert kind == frames.HELLO
        return number, connection

    def _watch_loading(self, control: Control, flight: Flight, now: float) -> None:
        self._note_usage(flight)
        usage, limits = flight.trace.usage, flight.limits
        if now > flight.deadline:
            control.stop(over("wall", limits))
        elif usage.cpu > limits.cpu:
            control.stop(over("cpu", limits))
        elif usage.memory > limits.memory + HEADROOM:
            control.stop(over("memory", limits))
        else:
            return
        self.kill()

    def _overgrown(self, now: float) -> bool:
        if now - self._weighed < _MEASURE_SECONDS:
            return False
        self._weighed = now
        return measure(self.pid, self.base_memory)[0] > self._most_memory

    def _blocked(self, control: Control, now: float, flights: list[Flight]) -> bool:
        """Tell whether the event loop hangs; asks it for a sign of life while calls are under way for a while."""
        if self._asked and control.heard():
            self._asked = 0.0
        if self._asked:
            return now - self._asked > _BLOCKED_SECONDS
        # Not while a call is late: that it was not asked means that it answered a moment ago.
        oldest = min(flight.started for flight in flights)
        if now - oldest > _YOUNG_SECONDS and not any(now > flight.deadline for flight in flights):
            self._asked = now
            control.send(frames.PING)
        return False

    def _end(self, culprit: Channel, flight: Flight, failure: Failure) -> None:
        """End the process because of one call; the others learn that it has ended."""
        culprit.stop(flight, failure)
        self.kill()

    def _note_usage(self, flight: Flight) -> None:
        usage = flight.trace.usage
        usage.cpu = max(usage.cpu, self.share.now() - flight.cpu_before)
        self._memory = measure(self.pid, self.base_memory)[0]
        usage.memory = max(usage.memory, self._memory)

    def _resident(self) -> int:
        try:
            return resident(self.pid)
        except OSError:  # gone, which the first call will notice
            return 0

    def _ran_out_of_memory(self) -> bool:
        if self._spent is None:
            said = self._said()
            ended = self._group is not None and self._group.spent()
            self._spent = ended or any(mark in said for mark in _SPENT)
        return self._spent

    def _said(self) -> str:
        """Return what the process wrote when it ended; waits a moment for its end."""
        if self._process is None:
            return ""
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return ""
        try:
            with self._stderr.open("rb") as file:
                return file.read(STDERR_BYTES).decode("utf-8", "replace").strip()
        except FileNotFoundError:  # somebody has tidied the temporary folder
            return ""


def _bind(listener: socket.socket, path: Path) -> None:
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen(64)
