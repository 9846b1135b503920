"""The remaining allowance of a call at the egress proxy, and its requests so far."""

from __future__ import annotations

import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from enum import Enum

from runtime.contract.invocation import Subrequest
from runtime.engines.egress import CheckedConnection

_MAX_REFUSED = 100  # refused requests beyond the limit that are answered; more than that is abuse
_MOST_EARLY = 130  # connections that are dropped when a call begins: twice what waits at a listener, at most
_HANGUP = getattr(select, "POLLRDHUP", 0)  # of TCP, which cannot tell it from the end of what is sent; not on macOS
MAX_PER_CALL = 8
"""Connections of a call that are served at one time."""
MAX_WAITING = 16
"""Connections of a call that wait until one of those ends."""


class Entry(Enum):
    """What becomes of a connection to the egress proxy."""

    SERVED = "served"
    WAITS = "waits"
    REFUSED = "refused"


class Account:
    """The remaining allowance of a call, and its requests so far."""

    def __init__(self, limit: int, trace: list[Subrequest], owner: tuple[str, str] = ("", "")) -> None:
        """Take the number of requests, the trace that records them, and their owner: organization and integration."""
        self.limit = limit
        self.owner = owner
        self.count = 0
        self._trace: list[Subrequest] | None = trace
        self._lock = threading.Lock()
        self._open: list[CheckedConnection | socket.socket] = []
        self._waiting: deque[tuple[socket.socket, Callable[[], None]]] = deque()
        self._slots = MAX_PER_CALL

    def admit(self) -> bool:
        """Count one request; returns False if it exceeds the limit, or the call has ended."""
        with self._lock:
            if self._trace is None:  # what had arrived can still be read from a connection that was cut
                return False
            self.count += 1
            return self.count <= self.limit

    def floods(self) -> bool:
        """Return whether a script keeps sending refused requests, which cost the host more than the script."""
        return self.count > self.limit + _MAX_REFUSED

    def enter(self, client: socket.socket, give_up: Callable[[], None]) -> Entry:
        """Take one of the call's connections, or wait for one; refused if the call has ended or too many wait.

        `give_up` is called if the call ends, or the script closes the connection, while it waits.

        A script has its answer before the connection it came over is free again, so the next request comes too soon
        also from one that never has more than eight under way.
        """
        if len(self._waiting) >= MAX_WAITING:
            self._drop_gone()
        with self._lock:
            if self._trace is None or len(self._waiting) >= MAX_WAITING:
                return Entry.REFUSED
            if self._slots == 0:
                self._waiting.append((client, give_up))
                return Entry.WAITS
            self._slots -= 1
            self._open.append(client)
            return Entry.SERVED

    def leave(self, client: socket.socket) -> socket.socket | None:
        """Return a connection; gives the one that is to be served in its place, if one waits."""
        self._drop_gone()
        with self._lock:
            if client in self._open:
                self._open.remove(client)
            if not self._waiting:
                self._slots += 1
                return None
            following, _ = self._waiting.popleft()
            self._open.append(following)
            return following

    def _drop_gone(self) -> None:
        """Drop the waiting connections that the script has closed: what they asked for is not wanted any more."""
        if not self._waiting:  # as with almost every request; whoever is added now has just come
            return
        with self._lock:
            gone = [one for one in self._waiting if _is_gone(one[0])]
            for one in gone:
                self._waiting.remove(one)
        for _, give_up in gone:
            give_up()

    def watch(self, connection: CheckedConnection | socket.socket) -> None:
        """Register an outgoing connection, to be closed with the call; raises `OSError` if that has ended."""
        with self._lock:
            if self._trace is not None:
                self._open.append(connection)
                return
        _cut(connection)
        raise ConnectionAbortedError("the call has ended")

    def record(self, entry: Subrequest) -> None:
        """Add a request to the call's trace, unless the call has ended."""
        with self._lock:
            if self._trace is not None and len(self._trace) < self.limit + 10:
                self._trace.append(entry)

    def close(self) -> None:
        """Close all open connections: the call has ended."""
        with self._lock:
            self._trace = None
            left, self._open = self._open, []
            waiting, self._waiting = self._waiting, deque()
        for connection in left:
            _cut(connection)
        for _, give_up in waiting:
            give_up()


def _is_gone(client: socket.socket) -> bool:
    poll = select.poll()
    poll.register(client, 0 if client.family == socket.AF_UNIX else _HANGUP)
    return bool(poll.poll(0))


def _cut(connection: CheckedConnection | socket.socket) -> None:
    if isinstance(connection, CheckedConnection):
        connection.cut()
        return
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it is closed already
        pass


class Gate:
    """The egress of one worker, which is open while a call is in flight, on the account of that call."""

    __slots__ = ("_account", "_listener", "_lock", "_queue")

    def __init__(self, listener: socket.socket) -> None:
        """Take over a listening socket of the worker."""
        listener.setblocking(False)
        self._listener = listener
        self._queue = select.poll()
        self._queue.register(listener, select.POLLIN)
        self._account: Account | None = None
        # Held by the thread of a call when it changes the account and by the proxy's when it accepts: a connection
        # belongs to the call that was in flight when it was made, and the next one may be another organization's.
        self._lock = threading.Lock()

    def fileno(self) -> int:
        """Return the descriptor of the listening socket; -1 if it is closed."""
        return self._listener.fileno()

    def open(self, account: Account) -> None:
        """Accept the worker's connections for the call of this account; those made before are dropped."""
        with self._lock:
            self._account = account if self._drop_early() else None

    def shut(self) -> None:
        """Refuse the worker's connections from now on."""
        with self._lock:
            self._account = None

    def accept(self) -> tuple[socket.socket, Account | None]:
        """Return the next connection, and the account of its call; raises `OSError`."""
        with self._lock:
            return self._listener.accept()[0], self._account

    def close(self) -> Account | None:
        """Let go of the listening socket; returns the account of the call in flight."""
        with self._lock:
            self._listener.close()
            return self._account

    def _drop_early(self) -> bool:
        """Return whether no connection is left that was made before.

        There are always more where a worker connects without end, and too few descriptors may be left to accept one.
        """
        for _ in range(_MOST_EARLY):
            try:
                if not self._queue.poll(0):
                    return True
                self._listener.accept()[0].close()
            except (BlockingIOError, ConnectionAbortedError):  # it is gone already
                continue
            except OSError:
                return False
        return False
