"""The host's side of one isolate: a Deno process in its sandbox that serves one script."""

from __future__ import annotations

import logging
import resource
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

from runtime.contract.invocation import Failure, Limits, LoadReport, LogLine, Script
from runtime.engines import frames, process_limits
from runtime.engines.call_state import CallState, CallStopped, over, process_ended
from runtime.engines.calling import PoolBusy, ProcessBroken
from runtime.engines.cgroups import Group, Groups
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.javascript.bundle import BUNDLE, MAP, script_name, without_map
from runtime.engines.javascript.channel_pool import ChannelPool
from runtime.engines.javascript.channels import Channel, Control
from runtime.engines.javascript.command import HEADROOM, STDERR_BYTES, THREADS, IsolateLauncher, limits_of
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.javascript.doorway import NUMBER, IsolateSockets
from runtime.engines.process_handle import ProcessHandle, hold
from runtime.engines.processes import measure, resident
from runtime.engines.sandbox import started_by_root

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.002  # of processor time without a call, after which the memory is looked at again
_CREDENTIALS = struct.Struct("3i")
_CONTROL = 0xFFFFFFFF
_BLOCKED_SECONDS = 0.5  # no answer to a ping for so long: the script does not let the event loop run
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into
_MEASURE_SECONDS = 0.2  # between two looks at the memory of a process whose calls are short
_OUT_OF_MEMORY = ("out of memory", "heap limit", "OOM")


class Isolate:
    """One process that serves one script, for several calls at once."""

    def __init__(
        self, pad: IsolateLauncher, proxy: EgressProxy, memory: int, most_channels: int, groups: Groups | None = None
    ) -> None:
        """Start the process with `memory` bytes for its heap; raises `SandboxUnavailable`, `ProcessBroken`."""
        self._proxy = proxy
        self._groups = groups
        self._group: Group | None = None
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._channels = ChannelPool(self._open, most_channels)
        self.owner = ""  # the organization whose call had it started
        self._opened = 0
        self._closed = False
        self._ended = False
        self._pinged_at = 0.0
        self._measured = 0.0
        self._memory = 0
        self._out_of_memory: bool | None = None  # None: not looked at yet
        self.pid = 0
        self.load_logs: list[LogLine] = []  # from loading, for the first call's trace
        self._handle: ProcessHandle | None = None
        self.idle_since = time.monotonic()
        self._idle_cpu = 0.0
        self._idle_seen = 0.0
        self._looked = 0.0
        self._memory_checked_at = 0.0
        self._most_memory = memory + HEADROOM
        try:
            self._folder = pad.folders.new()
        except OSError as error:
            raise ProcessBroken(f"no temporary folder can be made: {error}") from error
        self._doorway = IsolateSockets(Path(self._folder, "host"))
        self._scripts, self._stderr = Path(self._folder, "script"), Path(self._folder, "stderr")
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

    def load(self, script: Script, limits: Limits) -> tuple[LoadReport, CallState]:
        """Load a script; gives the state with what it logged.

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
        state = CallState(limits)
        state.cpu_before = self.share.enter()
        control.begin(state)
        try:
            return control.load(frames.pack(frames.LOAD, script_name(script).encode())), state
        except CallStopped as stopped:
            failure = self.cause(state) if stopped.failure == process_ended() else stopped.failure
            raise CallStopped(failure) from stopped
        finally:
            control.end()
            self.share.leave()
            self.idle_since = time.monotonic()

    def take(self, owner: str, deadline: float) -> Channel | None:
        """Return a channel for a call of an organization, None when there was none in time.

        Raises `ProcessBroken`, `PoolBusy`.
        """
        return self._channels.take(owner, deadline)

    def give(self, channel: Channel) -> None:
        """Take a channel back after a call."""
        self._channels.give(channel)
        self.idle_since = time.monotonic()

    def drop(self, channel: Channel) -> None:
        """Give up a channel whose call went wrong."""
        self._channels.drop(channel)
        self.idle_since = time.monotonic()
        self._let_go(channel)

    def idle(self) -> bool:
        """Tell whether no call is under way."""
        return not self._channels.busy()

    def alive(self) -> bool:
        """Tell whether the process still runs."""
        return not self._ended and self._handle is not None and self._handle.alive()

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
        states = [(channel, state) for channel in self._channels.busy() if (state := channel.state) is not None]
        loading = control.state
        if loading is not None:
            self._watch_loading(control, loading, now)
            return
        if not states:
            self._pinged_at = 0.0
            return
        if self._exceeds_memory(now):
            # Of many short calls none is looked at: whichever has been at it longest stands for all.
            channel, state = min(states, key=lambda entry: entry[1].started)
            self._end(channel, state, over("memory", state.limits))
            return
        blocked = self._blocked(control, now, [state for _, state in states])
        for channel, state in states:
            if now - state.started < _YOUNG_SECONDS:
                continue
            self._note_usage(state)
            if state.account.floods():
                self._end(channel, state, over("subrequests", state.limits))
            elif state.trace.usage.cpu > state.limits.cpu:
                self._end(channel, state, over("cpu", state.limits))
            elif state.trace.usage.memory > state.limits.memory + HEADROOM:
                self._end(channel, state, over("memory", state.limits))
            elif now > state.deadline:
                if blocked:
                    self._end(channel, state, over("wall", state.limits))
                elif not self._pinged_at:
                    channel.stop(state, over("wall", state.limits))

    def cause(self, state: CallState) -> Failure:
        """Return why the process has ended, as far as a call is concerned."""
        return over("memory", state.limits) if self._ran_out_of_memory() else process_ended()

    def kill(self) -> None:
        """End the process at once."""
        self._channels.end()
        with self._lock:
            self._ended = True
            if self._handle is not None:
                self._handle.kill()

    def active_while_idle(self, most: float) -> bool:
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
        channels = self._channels.close()
        self.kill()
        if self._process is not None:
            if self._handle is None:  # it never said which process it is
                self._process.kill()
            self._ran_out_of_memory()  # waits for the end
            self._process.kill()
            self._process.wait()
        for channel in channels:
            self._let_go(channel)
        if self._control is not None:
            self._control.close()
        self._doorway.close()
        with self._lock:
            if self._handle is not None:
                self._handle.close()
        if self._groups is not None and self._group is not None:
            self._groups.remove(self._group)
        shutil.rmtree(self._folder, ignore_errors=True)
        return True

    def _start(self, pad: IsolateLauncher, memory: int) -> None:
        for folder in (self._doorway.folder, self._scripts):
            folder.mkdir()
            folder.chmod(0o755)  # the isolate may be another user; the folder around these is closed to others
        self._doorway.open()
        self._process = pad.start(self._doorway.folder, self._scripts, self._stderr, memory)
        number, connection = self._accept()
        if number != _CONTROL:
            connection.close()
            raise ProcessBroken("the isolate spoke out of turn")
        self.pid = self._process.pid
        if pad.confined and sys.platform == "linux":  # then that is bubblewrap, which has started it
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            self.pid = _CREDENTIALS.unpack(credentials)[0]
        self._control = Control(connection)
        if self._groups is not None:
            self._group = self._groups.put(self.pid, memory + HEADROOM, THREADS)
        try:
            self._handle = hold(self.pid, self._running)
            if pad.confined and sys.platform == "linux" and not started_by_root():
                # Not before: outside its user namespace this user's other processes would count, too.
                resource.prlimit(self.pid, resource.RLIMIT_NPROC, (THREADS, THREADS))
            if pad.confined:
                self._insist_on_limits(memory)
        except (FileNotFoundError, ProcessLookupError) as error:
            raise ProcessBroken("the isolate ended at once") from error

    def _insist_on_limits(self, memory: int) -> None:
        """Refuse a process that has less than all limits: it has not loaded its script yet."""
        missing = process_limits.missing_limit(self.pid, limits_of(memory, own_user=True))
        if missing is not None:
            raise ProcessBroken(f"the isolate was started without its limit {missing!r}")

    def _open(self) -> Channel:
        """Open one more channel; raises `ProcessBroken`, `PoolBusy` where the host has no room for one."""
        with self._opening:
            number = self._opened
            try:
                gate = self._proxy.attach(self._doorway.way_out(number))
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
                    self._control.send(frames.OPEN, NUMBER.pack(number))
                reported, connection = self._accept()
                if reported != number:
                    connection.close()
                    raise ProcessBroken("the isolate spoke out of turn")
            except BaseException:
                self._proxy.detach(gate)
                raise
        return Channel(self, connection, number, gate)

    def _accept(self) -> tuple[int, socket.socket]:
        """Return the next connection and the number it says; raises `ProcessBroken`."""
        return self._doorway.accept(self._running, self._error_output)

    def _running(self) -> bool:
        return not self._ended and self._process is not None and self._process.poll() is None

    def _let_go(self, channel: Channel) -> None:
        channel.close()
        self._proxy.detach(channel.gate)

    def _watch_loading(self, control: Control, state: CallState, now: float) -> None:
        self._note_usage(state)
        usage, limits = state.trace.usage, state.limits
        if now > state.deadline:
            control.stop(over("wall", limits))
        elif usage.cpu > limits.cpu:
            control.stop(over("cpu", limits))
        elif usage.memory > limits.memory + HEADROOM:
            control.stop(over("memory", limits))
        else:
            return
        self.kill()

    def _exceeds_memory(self, now: float) -> bool:
        if now - self._memory_checked_at < _MEASURE_SECONDS:
            return False
        self._memory_checked_at = now
        return measure(self.pid, self.base_memory)[0] > self._most_memory

    def _blocked(self, control: Control, now: float, states: list[CallState]) -> bool:
        """Tell whether the event loop hangs; asks it for a sign of life while calls are under way for a while."""
        if self._pinged_at and control.heard():
            self._pinged_at = 0.0
        if self._pinged_at:
            return now - self._pinged_at > _BLOCKED_SECONDS
        # Not while a call is late: that it was not asked means that it answered a moment ago.
        oldest = min(state.started for state in states)
        if now - oldest > _YOUNG_SECONDS and not any(now > state.deadline for state in states):
            self._pinged_at = now
            control.send(frames.PING)
        return False

    def _end(self, culprit: Channel, state: CallState, failure: Failure) -> None:
        """End the process because of one call; the others learn that it has ended."""
        culprit.stop(state, failure)
        self.kill()

    def _note_usage(self, state: CallState) -> None:
        usage = state.trace.usage
        usage.cpu = max(usage.cpu, self.share.now() - state.cpu_before)
        self._memory = measure(self.pid, self.base_memory)[0]
        usage.memory = max(usage.memory, self._memory)

    def _resident(self) -> int:
        try:
            return resident(self.pid)
        except OSError:  # gone, which the first call will notice
            return 0

    def _ran_out_of_memory(self) -> bool:
        if self._out_of_memory is None:
            output = self._error_output()
            ended = self._group is not None and self._group.ran_out_of_memory()
            self._out_of_memory = ended or any(mark in output for mark in _OUT_OF_MEMORY)
        return self._out_of_memory

    def _error_output(self) -> str:
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
