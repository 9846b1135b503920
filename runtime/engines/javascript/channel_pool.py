"""The channels of one isolate: each serves one call at a time, and organizations share them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from runtime.engines.calling import ProcessBroken
from runtime.engines.javascript.channels import Channel
from runtime.engines.shares import Shares
from runtime.engines.wait_queue import Waiter, WaitQueue


class ChannelPool:
    """Lends channels, and opens more up to a number; safe to use from many threads."""

    def __init__(self, open_channel: Callable[[], Channel], most: int) -> None:
        self._open, self._most = open_channel, most
        self._lock = threading.Lock()
        self._line = WaitQueue[str](self._lock)
        self._shares = Shares(most)
        self._owners: dict[Channel, str] = {}
        self._free: list[Channel] = []
        self._busy: set[Channel] = set()
        self._count = 0
        self._ended = False
        self._closed = False

    def take(self, owner: str, deadline: float) -> Channel | None:
        """Return a channel for a call of an organization, None when there was none in time.

        Raises `ProcessBroken` once the isolate has ended, and what opening a channel raises.
        """
        waiter = Waiter(owner)
        with self._lock:
            while not self._ended and not self._may_go_on(owner):
                if not self._line.wait(waiter, deadline):
                    self._line.wake(self._may_go_on)
                    return None
            if self._ended:
                raise ProcessBroken("the isolate has ended")
            self._shares.enter(owner)
            if waiter.again:
                self._line.wake(self._may_go_on)
            if self._free:
                channel = self._free.pop()
                self._lend(channel, owner)
                return channel
            self._count += 1
        try:
            channel = self._open()
        except BaseException:
            with self._lock:
                self._count -= 1
                self._shares.leave(owner)
                self._line.wake(self._may_go_on)
            raise
        with self._lock:
            self._lend(channel, owner)
        return channel

    def give(self, channel: Channel) -> None:
        """Take a channel back after a call."""
        with self._lock:
            if not self._closed:
                self._free.append(channel)
            self._unlend(channel)

    def drop(self, channel: Channel) -> None:
        """Forget a channel whose call went wrong; the caller closes it."""
        with self._lock:
            self._count -= 1
            self._unlend(channel)

    def busy(self) -> list[Channel]:
        """Return the channels that serve a call."""
        with self._lock:
            return list(self._busy)

    def end(self) -> None:
        """Lend no more: the isolate has ended."""
        with self._lock:
            self._ended = True

    def close(self) -> list[Channel]:
        """Lend no more and wake who waits; gives every channel there is, for the caller to close."""
        with self._lock:
            self._ended = self._closed = True
            channels = [*self._free, *self._busy]
            self._free.clear()
            self._line.wake_all()
            return channels

    def _lend(self, channel: Channel, owner: str) -> None:
        self._owners[channel] = owner
        self._busy.add(channel)

    def _unlend(self, channel: Channel) -> None:
        self._busy.discard(channel)
        owner = self._owners.pop(channel, None)
        if owner is not None:
            self._shares.leave(owner)
        self._line.wake(self._may_go_on)

    def _may_go_on(self, owner: str) -> bool:
        """Return whether there is a channel for an organization; the lock is held."""
        return (bool(self._free) or self._count < self._most) and self._shares.open_to(owner)
