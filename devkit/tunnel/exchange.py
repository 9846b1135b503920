"""A call through a tunnel, and its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import Queue
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
    _pieces: Queue[bytes | None] = field(default_factory=lambda: Queue(WAITING))

    def arrive(self, piece: bytes | None) -> None:
        """Take the next chunk of the body; None is its end."""
        self._pieces.put(piece)

    def cancel(self) -> None:
        """Tell that the caller no longer waits."""
        self.cancelled = True
        while not self._pieces.empty():
            self._pieces.get_nowait()
        self._pieces.put(None)

    def body(self) -> Iterator[bytes]:
        """Yield the body in chunks, once. Raises `Cancelled` if it stays incomplete."""
        while (piece := self._pieces.get()) is not None:
            yield piece
        if self.cancelled:
            raise Cancelled


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
