"""A remedy for requests that the web server leaves waiting although it could start threads for them.

Granian 2.8 starts a thread for a request unless a thread is idle, and counts one as idle until a moment after it has
taken a request. What comes in this moment waits until another request comes, or until that thread is done, which for a
stream may take hours (Granian's issue 873 is the same fault with a longer gap). So when requests have come and then
none for a moment, the serving process that took them sends itself another one.
"""

from __future__ import annotations

import http.client
import logging
import secrets
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.engines.threads import RepeatingThread

log = logging.getLogger(__name__)

QUIET = 0.1
"""Seconds without a new request before the process sends itself one, and between two checks."""
TIMEOUT = 2.0
FAILED = "the host could not send a request to itself; requests may wait until the next one comes"

Wsgi = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]


def new_path() -> str:
    """Return a secret path for the requests that the serving processes of a host send themselves."""
    return f"/{secrets.token_urlsafe(24)}"


class SelfRequests:
    """WSGI middleware that answers the requests of its own thread, which sends one after others have come."""

    def __init__(self, app: Wsgi, address: tuple[str, int], path: str) -> None:
        """Take the address to send to. Processes share it, and `path`, so some requests reach another process."""
        self._app, self._address, self._path = app, address, path
        self._own_query = secrets.token_urlsafe(12)
        # Written by many threads without a lock: a lost update can cost one request too many, or delay one until the
        # next request.
        self._last_began = self._last_sent = self._reached_up_to = time.monotonic()
        self.thread = RepeatingThread("self requests", self._look, log=log, failed=FAILED)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == self._path:
            if environ.get("QUERY_STRING") == self._own_query:
                # Requests are taken in order, so nothing that came before this one still waits. Not now, but when it
                # was sent: a request that began after that may have taken the last thread.
                self._reached_up_to = self._last_sent
            start_response("204 No Content", [])
            return []
        self._last_began = time.monotonic()
        return self._app(environ, start_response)

    def _look(self) -> float:
        now = time.monotonic()
        if self._last_began > self._reached_up_to and now - self._last_began > QUIET:
            self._last_sent = now
            # Refused while the host stops, or if no descriptor is free; the next round tries again.
            with suppress(OSError, http.client.HTTPException):
                self._send()
        return QUIET

    def _send(self) -> None:
        connection = http.client.HTTPConnection(*self._address, timeout=TIMEOUT)
        try:
            connection.request("GET", f"{self._path}?{self._own_query}", headers={"Connection": "close"})
            connection.getresponse().read()
        finally:
            connection.close()
