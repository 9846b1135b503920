"""Limits the total time a command waits for a response, even from a host that keeps sending it very slowly."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any

import requests
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from devkit.hosts import distances

_own = threading.local()


class Within:
    """Ends the answers that the calling thread waits for when it has waited so many seconds, with `requests.Timeout`.

    The time starts once the first request has been sent, because a large upload may itself take a while. One inside of
    another does not replace it.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._over = False
        self._sockets: set[socket.socket] = set()
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Within:
        self._before: Within | None = getattr(_own, "within", None)
        _own.within = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _own.within = self._before
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._sockets.clear()
        # Also without an error: an answer that ends with its connection looks like a whole one.
        if self._over and (error is None or isinstance(error, Exception)):
            raise requests.Timeout(f"no complete response within {self._seconds:g} s") from error

    def watch(self, connection: socket.socket) -> None:
        """Register the connection that a response is read from."""
        if self._before is not None:
            self._before.watch(connection)
        with self._lock:
            self._sockets.add(connection)
            if self._timer is None:
                self._timer = threading.Timer(self._seconds, self._end)
                self._timer.daemon = True
                self._timer.start()
            elif self._over:
                _hang_up(connection)

    def _end(self) -> None:
        with self._lock:
            self._over = True
            for connection in self._sockets:
                _hang_up(connection)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # Not SSLSocket.shutdown, which discards the TLS state that another thread is still reading with.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _watch(connection: HTTPConnection) -> None:
    within: Within | None = getattr(_own, "within", None)
    if within is not None and isinstance(connection.sock, socket.socket):
        within.watch(connection.sock)


class _Plain(HTTPConnection):
    distance: distances.Distance

    def _new_conn(self) -> socket.socket:
        connection = super()._new_conn()  # before the handshake of TLS, which sends a name that the host chose
        self.distance = distances.checked(connection, self.host)
        return connection

    def getresponse(self, *arguments: Any, **named: Any) -> Any:
        _watch(self)
        return super().getresponse(*arguments, **named)


class _Encrypted(_Plain, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _EncryptedPool(HTTPSConnectionPool):
    ConnectionCls = _Encrypted


POOLS = {"http": _PlainPool, "https": _EncryptedPool}
"""Connections of urllib3 whose answers `Within` ends, and which `NoNearerThan` refuses."""
