"""A call through a tunnel, and its answer."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Condition
from typing import Protocol

from runtime.engines.dev_tunnel.messages import ANSWER, BODY, END, PIECE, Headers, pieces
from runtime.engines.frames import pack

WAITING = 64


class Cancelled(Exception):
    """The caller no longer waits for the answer."""


@dataclass(slots=True)
class Incoming:
    """A request; `path` begins with a slash and includes the query. Its body is streamed."""

    call: str
    method: str
    path: str
    headers: Headers
    cancelled: bool = False
    _pieces: deque[bytes | None] = field(default_factory=deque)
    _changed: Condition = field(default_factory=Condition)

    def arrive(self, piece: bytes | None) -> None:
        """Take the next chunk of the body, None for its end; waits while too many are unread."""
        with self._changed:
            self._changed.wait_for(lambda: self.cancelled or len(self._pieces) < WAITING)
            if not self.cancelled:
                self._pieces.append(piece)
                self._changed.notify_all()

    def cancel(self) -> None:
        """Drop what is unread, and whatever comes: the caller no longer waits, or nobody reads any more."""
        with self._changed:
            self.cancelled = True
            self._pieces.clear()
            self._changed.notify_all()

    def body(self) -> Iterator[bytes]:
        """Yield the body in chunks, once. Raises `Cancelled` if it stays incomplete."""
        while (piece := self._next()) is not None:
            yield piece

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self.cancelled or self._pieces)
            if self.cancelled:
                raise Cancelled
            piece = self._pieces.popleft()
            self._changed.notify_all()
        return piece


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, with a whole or a streamed body."""

    status: int
    headers: Headers
    body: bytes | Iterator[bytes]

    def frames(self, call: str) -> bytes | Iterator[bytes]:
        """Encode an answer for the host; a short one in a single piece."""
        head = {"status": self.status, "headers": self.headers, "call": call}
        begin = pack(ANSWER, json.dumps(head).encode())
        if isinstance(self.body, bytes) and len(self.body) <= PIECE:
            return begin + pack(BODY, self.body) + pack(END, b"")
        return self._streamed(begin, iter([self.body]) if isinstance(self.body, bytes) else self.body)

    @staticmethod
    def _streamed(begin: bytes, body: Iterator[bytes]) -> Iterator[bytes]:
        yield begin
        for piece in pieces(body):
            yield pack(BODY, piece)
        yield pack(END, b"")


class Handler(Protocol):
    """Answers the calls of a tunnel, many at the same time."""

    def answer(self, incoming: Incoming) -> Answer:
        """Answer one call."""
