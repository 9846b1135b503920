"""A serving process's side of an isolate: hands out its channels, and ends what exceeds its limits."""

from __future__ import annotations

import logging
import socket
import threading
import time
from abc import ABC, abstractmethod

from runtime.contract.invocation import Failure, LogLine
from runtime.engines import frames
from runtime.engines.call_state import CallState, over, process_ended
from runtime.engines.calling import PoolBusy, ProcessBroken
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.javascript.channel_pool import ChannelPool
from runtime.engines.javascript.channels import Channel, Control
from runtime.engines.javascript.command import HEADROOM
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.javascript.isolate_sockets import CONTROL, NUMBER, IsolateSockets
from runtime.engines.javascript.shared_call_counts import SharedCallCounts
from runtime.engines.priority import LONG_SECONDS, LongCalls, Priority
from runtime.engines.process_handle import ProcessHandle
from runtime.engines.processes import measure, shown

_log = logging.getLogger(__name__)

_BLOCKED_SECONDS = 0.5  # no answer to a ping for so long: the script does not let the event loop run
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into
_MEASURE_SECONDS = 0.2  # between two looks at the memory of a process whose calls are short


class Isolate(ABC):
    """A process that runs one script, as one serving process sees it, which may have several calls in it at once.

    Subclasses set the attributes that are only declared here before they hand out a channel.
    """

    owner: str
    """The organization whose call caused its start; empty when another serving process started it."""
    used_by: str
    """The organization of this serving process's last call in it, or of the call that caused its start."""
    pid: int
    base_memory: int
    share: CpuShare
    _sockets: IsolateSockets
    _handle: ProcessHandle | None

    def __init__(self, proxy: EgressProxy, memory: int, most_channels: int) -> None:
        """Take the proxy for its calls, the bytes of its heap, and how many calls this process may have in it."""
        self._proxy = proxy
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._channels = ChannelPool(self._open, most_channels)
        self._opened = 0
        self._closed = False
        self._ended = False
        self._pinged_at = 0.0
        self._measured = 0.0
        self._memory = 0
        self._memory_checked_at = 0.0
        self._most_memory = memory + HEADROOM
        self._control: Control | None = None
        self.call_counts = SharedCallCounts()  # of this process alone, until it is shared
        self._handle = None
        self.priority = Priority(LongCalls())  # counted alone, until it is one of a pool
        self.owner = self.used_by = ""
        self.pid = self.base_memory = 0
        self.load_logs: list[LogLine] = []  # from loading, for the first call's trace

    @property
    def idle_since(self) -> float:
        """When it became idle, by the monotonic clock."""
        return self.call_counts.idle_since()

    def take(self, owner: str, deadline: float) -> Channel | None:
        """Return a channel for a call of an organization, None when there was none in time.

        Raises `ProcessBroken`, `PoolBusy`.
        """
        if not self.call_counts.enter():
            raise ProcessBroken("the isolate accepts no more calls")
        channel = None
        try:
            channel = self._channels.take(owner, deadline)
        finally:
            if channel is None:
                self.call_counts.leave()
        if channel is not None and self._closed:  # while it was opened: nobody else would look after it
            self.drop(channel)
            raise ProcessBroken("the isolate was given up")
        return channel

    def give(self, channel: Channel) -> None:
        """Take a channel back after a call."""
        self._channels.give(channel)
        self.call_counts.leave()

    def drop(self, channel: Channel) -> None:
        """Give up a channel whose call went wrong."""
        self._channels.drop(channel)
        self.call_counts.leave()
        self._let_go(channel)

    def idle(self) -> bool:
        """Return whether this serving process has no call in it, and none that waits for a channel."""
        return self.call_counts.own() == 0

    def alive(self) -> bool:
        """Return whether the process still runs."""
        return not self._ended and self._handle is not None and self._handle.alive()

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
        if not states:
            self._pinged_at = 0.0
            self._let_others_first([])
            return
        if self._exceeds_memory(now):
            # Short calls are not measured one by one: the call that has run longest is held responsible.
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
        self._let_others_first([state for _, state in states])

    def cause(self, state: CallState) -> Failure:
        """Return why the process has ended, as far as a call is concerned."""
        return over("memory", state.limits) if self.ran_out_of_memory() else process_ended()

    @abstractmethod
    def active_while_idle(self, most: float) -> bool:
        """Return whether the process used too much processor time (seconds) since it became idle, or too much memory.

        Only the serving process that started it checks this.
        """

    @abstractmethod
    def ran_out_of_memory(self) -> bool:
        """Return whether the process ended because it ran out of memory."""

    @abstractmethod
    def close(self) -> bool:
        """Let go of everything it held; False when that was done before."""

    @abstractmethod
    def _running(self) -> bool:
        """Return whether the process may still connect."""

    @abstractmethod
    def _error_output(self) -> str:
        """Return what the process wrote when it ended, or why that is not known here."""

    def kill(self) -> None:
        """End the process at once; other serving processes that use it learn of that before their next call."""
        self._channels.end()
        self.call_counts.refuse_new_calls()
        with self._lock:
            self._ended = True
            if self._handle is not None:
                self._handle.kill()

    def _open(self) -> Channel:
        """Open one more channel; raises `ProcessBroken`, `PoolBusy` where the host has no room for one."""
        with self._opening:
            number = self._opened
            try:
                gate = self._proxy.attach(self._sockets.way_out(number))
            except FileNotFoundError as error:
                raise ProcessBroken("the isolate's folder is gone") from error
            except OSError as error:
                self._sockets.remove_way_out(number)  # the next try takes the same name
                _log.error("an isolate cannot accept another call: %s", error)
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
                    raise ProcessBroken("the isolate sent an unexpected message")
            except BaseException:
                self._proxy.detach(gate)
                self._sockets.remove_way_out(number)
                raise
        return Channel(self, connection, number, gate)

    def _accept(self) -> tuple[int, socket.socket]:
        """Return the next connection and the number it says; raises `ProcessBroken`."""
        return self._sockets.accept(self._running, self._error_output)

    def _take_control(self) -> socket.socket:
        """Accept the connection over which the process takes commands, its first one; raises `ProcessBroken`."""
        number, connection = self._accept()
        if number != CONTROL:
            connection.close()
            raise ProcessBroken("the isolate sent an unexpected message")
        self._control = Control(connection)
        return connection

    def _let_go(self, channel: Channel) -> None:
        channel.close()
        self._proxy.detach(channel.gate)
        self._sockets.remove_way_out(channel.number)

    def _close_connections(self) -> bool:
        """Close every channel; returns False when that was done before."""
        with self._lock:
            if self._closed:
                return False
            self._closed = True
            self.priority.forget()
        for channel in self._channels.close():
            self._let_go(channel)
        if self._control is not None:
            self._control.close()
        self._sockets.close()
        self.call_counts.close()
        return True

    def _exceeds_memory(self, now: float) -> bool:
        if now - self._memory_checked_at < _MEASURE_SECONDS:
            return False
        self._memory_checked_at = now
        return measure(self.pid, self.base_memory)[0] > self._most_memory

    def _blocked(self, control: Control, now: float, states: list[CallState]) -> bool:
        """Return whether the event loop hangs; asks it for a sign of life while calls are under way for a while."""
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

    def _let_others_first(self, states: list[CallState]) -> None:
        """Lower the priority of the process while a call in it computes for long."""
        computing = next((state for state in states if state.trace.usage.cpu > LONG_SECONDS), None)
        with self._lock:
            if self._closed:
                return
            if computing is not None:
                self.priority.lower(self.pid, computing.account.owner[0])
            else:
                self.priority.forget()
                self.priority.recover(self.pid)

    def _note_usage(self, state: CallState) -> None:
        usage = state.trace.usage
        usage.cpu = max(usage.cpu, self.share.now() - state.cpu_before)
        self._memory = measure(self.pid, self.base_memory)[0]
        usage.memory = max(usage.memory, shown(self._memory, state.limits.memory + HEADROOM))
