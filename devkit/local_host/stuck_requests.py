"""A remedy for requests that the web server leaves waiting although threads could be started for them.

Granian 2.8 starts a thread for a request unless another thread counts as idle, and one still counts at the moment at
which it takes a request. What comes just then waits until the next request comes, or until that one is answered, which
for a stream may take hours (https://github.com/emmett-framework/granian/issues/873 is the same for longer moments). So
where the latest request is not answered after a moment, this process sends one more to itself.
"""

from __future__ import annotations

import http.client
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.engines.threads import RepeatingThread

log = logging.getLogger(__name__)

AFTER = 0.1
"""Seconds that the latest request takes before another one follows it."""
TIMEOUT = 2.0

Wsgi = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]


class Latest:
    """WSGI middleware that knows since when the latest request is being answered.

    Requests for `path` mean nothing but that they came; all processes that share an address share it.
    """

    def __init__(self, app: Wsgi, path: str) -> None:
        self._app, self.path = app, path
        # Threads only replace it: a request that began later says that nothing waits which came before it.
        self._latest: list[float] | None = None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == self.path:
            self._latest = None
            start_response("204 No Content", [])
            return []
        began = self._latest = [time.monotonic()]
        answering = False
        try:
            body = self._app(environ, start_response)
            answering = not isinstance(body, list)
        finally:
            if not answering:
                self._ended(began)
        return _Body(body, lambda: self._ended(began)) if answering else body

    def seconds(self) -> float:
        """Return for how long the latest request has been in progress; 0 if it was answered."""
        latest = self._latest
        return 0.0 if latest is None else time.monotonic() - latest[0]

    def _ended(self, began: list[float]) -> None:
        if self._latest is began:
            self._latest = None


class _Body:
    """The rest of an answer that is not whole yet."""

    def __init__(self, body: Iterable[bytes], ended: Callable[[], None]) -> None:
        self._body, self._ended = body, ended

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        try:
            if (close := getattr(self._body, "close", None)) is not None:
                close()
        finally:
            self._ended()


def new_path() -> str:
    """Make a path that nobody else asks for."""
    return f"/{secrets.token_urlsafe(24)}"


def keep_going(latest: Latest, host: str, port: int) -> RepeatingThread:
    """Send requests to this address while the latest one takes long, until one begins in this process."""

    def look() -> float:
        if latest.seconds() > AFTER:
            # Refused while the host is being stopped, or without free connections: what waits is then not answered yet.
            with suppress(OSError, http.client.HTTPException):
                _ask(host, port, latest.path)
        return AFTER

    thread = RepeatingThread("stuck requests", look, log=log, failed="requests that are stuck could not be looked for")
    thread.start()
    return thread


def _ask(host: str, port: int, path: str) -> None:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        connection.getresponse().read()
    finally:
        connection.close()
