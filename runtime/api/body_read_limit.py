"""Limits how many threads read request bodies at once, wherever a body is read.

A thread that reads from a slow sender waits for as long as the sender likes. Code that knows whose request it is uses a
slot of that owner (`RequestCapacity.read`). All other reads share the slots of one owner here, so that routes that
are added later are limited as well. A client whose body was not read to its end is told that the connection ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.api.request_capacity import RequestCapacity


class BodyReadLimit:
    """WSGI middleware in front of everything that reads bodies."""

    def __init__(self, app: Callable[..., Iterable[bytes]], capacity: RequestCapacity) -> None:
        """Take the application that answers, and the slots for readers."""
        self._app, self._capacity = app, capacity

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"] = _LimitedBody(environ["wsgi.input"], self._capacity)
        if environ.get("CONTENT_LENGTH", "0") in ("", "0") and "HTTP_TRANSFER_ENCODING" not in environ:
            return self._app(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            # What is left of a body stands before the next request: the web server closes the connection then, after a
            # moment in which clients that were not told send another request into it.
            # Whether one of unknown length was read to its end is not known for sure: after a success it usually was.
            if not body.is_read(environ) and (status >= "4" or "CONTENT_LENGTH" in environ):
                headers = [*headers, ("Connection", "close")]
            return start_response(status, headers, *more)

        return self._app(environ, start)


class _LimitedBody:
    """A body; each read of it raises Unavailable when no slot is free."""

    __slots__ = ("_body", "_bytes", "_capacity", "_ended")

    def __init__(self, body: Any, capacity: RequestCapacity) -> None:
        self._body, self._capacity, self._bytes, self._ended = body, capacity, 0, False

    def is_read(self, environ: WSGIEnvironment) -> bool:
        """Return whether a body was read to its end."""
        return self._ended or str(self._bytes) == environ.get("CONTENT_LENGTH")

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._capacity.read_piece(lambda: self._body.read(size))
        self._bytes += len(content)
        self._ended = self._ended or size < 0 or len(content) < size
        return content

    def readline(self, size: int = -1) -> bytes:
        line: bytes = self._capacity.read_piece(lambda: self._body.readline(size))
        self._bytes += len(line)
        self._ended = self._ended or not line
        return line

    def readlines(self, hint: int = -1) -> list[bytes]:
        lines: list[bytes] = self._capacity.read_piece(lambda: self._body.readlines(hint))
        self._bytes += sum(map(len, lines))
        self._ended = self._ended or hint <= 0
        return lines

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")
