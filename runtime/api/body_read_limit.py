"""Limits how many threads read request bodies at once, wherever a body is read.

A thread that reads from a slow sender waits for as long as the sender likes. Code that knows whose request it is uses a
slot of that owner (`RequestCapacity.read`). All other reads share the slots of one owner here, so that routes that
are added later are limited as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.api.host import RequestCapacity


class BodyReadLimit:
    """WSGI middleware in front of everything that reads bodies."""

    def __init__(self, app: Callable[..., Iterable[bytes]], capacity: RequestCapacity) -> None:
        """Take the application that answers, and the slots for readers."""
        self._app, self._capacity = app, capacity

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.input"] = _LimitedBody(environ["wsgi.input"], self._capacity)
        return self._app(environ, start_response)


class _LimitedBody:
    """A body; each read of it raises Unavailable when no slot is free."""

    __slots__ = ("_body", "_capacity")

    def __init__(self, body: Any, capacity: RequestCapacity) -> None:
        self._body, self._capacity = body, capacity

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._capacity.read_piece(lambda: self._body.read(size))
        return content

    def readline(self, size: int = -1) -> bytes:
        line: bytes = self._capacity.read_piece(lambda: self._body.readline(size))
        return line

    def readlines(self, hint: int = -1) -> list[bytes]:
        lines: list[bytes] = self._capacity.read_piece(lambda: self._body.readlines(hint))
        return lines

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")
