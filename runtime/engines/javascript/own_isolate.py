"""An isolate that this serving process has started: a Deno process in its sandbox."""

from __future__ import annotations

import resource
import shutil
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

from runtime.contract.invocation import Failure, Limits, LoadReport, Script
from runtime.engines import frames, process_limits
from runtime.engines.call_state import CallState, CallStopped, over, process_ended
from runtime.engines.calling import ProcessBroken
from runtime.engines.cgroups import Group, Groups
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.javascript.bundle import BUNDLE, MAP, script_name, without_map
from runtime.engines.javascript.channels import Channel, Control
from runtime.engines.javascript.command import HEADROOM, STDERR_BYTES, THREADS, IsolateLauncher, limits_of
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.javascript.isolate import Isolate
from runtime.engines.javascript.isolate_sockets import IsolateSockets
from runtime.engines.javascript.shared_call_counts import SharedCallCounts
from runtime.engines.priority import LONG_SECONDS
from runtime.engines.process_handle import hold
from runtime.engines.processes import measure, resident
from runtime.engines.sandbox import started_by_root

_LOOK_SECONDS = 0.002  # of processor time without a call, after which the memory is looked at again
_CREDENTIALS = struct.Struct("3i")
_OUT_OF_MEMORY = ("out of memory", "heap limit", "OOM")


class OwnIsolate(Isolate):
    """A process that serves one script; it ends with this serving process."""

    def __init__(
        self,
        pad: IsolateLauncher,
        proxy: EgressProxy,
        memory: int,
        most_channels: int,
        groups: Groups | None = None,
        *,
        shared: bool = False,
    ) -> None:
        """Start the process with `memory` bytes for its heap; `shared` when others may borrow it.

        Raises `SandboxUnavailable`, `ProcessBroken`.
        """
        super().__init__(proxy, memory, most_channels)
        self._groups = groups
        self._group: Group | None = None
        self._out_of_memory: bool | None = None  # None: not looked at yet
        self._looking = threading.Lock()
        self._idle_cpu = 0.0
        self._idle_seen = 0.0
        self._looked = 0.0
        try:
            self.folder = pad.folders.new()
        except OSError as error:
            raise ProcessBroken(f"no temporary folder can be made: {error}") from error
        self._sockets = IsolateSockets(self.folder / "host")
        self._scripts, self._stderr = self.folder / "script", self.folder / "stderr"
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if shared:
                self.call_counts = SharedCallCounts(self.folder / "call_counts")
            self._start(pad, memory)
        except OSError as error:
            self.close()
            raise ProcessBroken(f"it could not be set up: {error}") from error
        except BaseException:
            self.close()
            raise
        self.share = CpuShare(self.pid, self.call_counts.others)
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
            self.call_counts.touch()

    @property
    def idle_since(self) -> float:
        """When the last call of any serving process ended, by the monotonic clock."""
        return self.call_counts.all_idle_since()

    def idle(self) -> bool:
        """Return whether no serving process has a call in it."""
        return super().idle() and self.call_counts.others() == 0

    def loadable(self) -> bool:
        """Return whether the process still runs and has its folder, as one kept for later may not."""
        return self.alive() and self._scripts.is_dir()

    def watch(self, now: float) -> None:
        """End what exceeds its limits, including the loading of the script."""
        control = self._control
        if control is not None and control.state is not None and not self._closed:
            self._watch_loading(control, control.state, now)
        else:
            super().watch(now)

    def active_while_idle(self, most: float) -> bool:
        """See `Isolate`; memory is measured only after the process has run, as it does not change otherwise."""
        used = self.share.total()
        idle_since = self.idle_since
        if self._idle_seen != idle_since:
            self._idle_seen, self._idle_cpu, self._looked = idle_since, used, 0.0
        if used - self._looked < _LOOK_SECONDS:
            return False
        self._looked = used
        return used - self._idle_cpu > most or measure(self.pid, self.base_memory)[0] > self._most_memory

    def admit(self, number: int) -> None:
        """Have the process connect to one more serving process, whose sockets have this number in their names."""
        assert self._control is not None
        self._control.send(frames.JOIN, frames.HELLO_HEAD.pack(number))

    def ran_out_of_memory(self) -> bool:
        """Return whether the process ended because it ran out of memory."""
        with self._looking:  # only once: the first caller may go on to remove what the process wrote
            if self._out_of_memory is None:
                output = self._error_output()
                ended = self._group is not None and self._group.ran_out_of_memory()
                self._out_of_memory = ended or any(mark in output for mark in _OUT_OF_MEMORY)
            return self._out_of_memory

    def close(self) -> bool:
        """End the process and let go of everything it held; False when that was done before."""
        self.kill()
        if not self._close_connections():
            return False
        if self._process is not None:
            if self._handle is None:  # it never said which process it is
                self._process.kill()
            self.ran_out_of_memory()  # waits for the end
            self._process.kill()
            self._process.wait()
        with self._lock:
            if self._handle is not None:
                self._handle.close()
        if self._groups is not None and self._group is not None:
            self._groups.remove(self._group)
        shutil.rmtree(self.folder, ignore_errors=True)
        return True

    def _start(self, pad: IsolateLauncher, memory: int) -> None:
        for folder in (self._sockets.folder, self._scripts):
            folder.mkdir()
            folder.chmod(0o755)  # the isolate may be another user; the folder around these is closed to others
        self._sockets.open()
        self._process = pad.start(self._sockets.folder, self._scripts, self._stderr, memory)
        connection = self._take_control()
        self.pid = self._process.pid
        if pad.confined and sys.platform == "linux":  # then that is bubblewrap, which has started it
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            self.pid = _CREDENTIALS.unpack(credentials)[0]
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

    def _end(self, culprit: Channel, state: CallState, failure: Failure) -> None:
        if failure.limit == "memory":
            self._out_of_memory = True  # the killed process leaves no other sign of that for borrowers who ask
        super()._end(culprit, state, failure)

    def _running(self) -> bool:
        return not self._ended and self._process is not None and self._process.poll() is None

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
            with self._lock:
                if usage.cpu > LONG_SECONDS and not self._closed:
                    self.priority.lower(self.pid, self.owner)
            return
        self.kill()

    def _resident(self) -> int:
        try:
            return resident(self.pid)
        except OSError:  # gone, which the first call will notice
            return 0

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
