"""One call that came through a tunnel, and what answers it."""

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
    """Nobody waits for the answer of a call any more."""


@dataclass(slots=True)
class Incoming:
    """A request; `path` begins with a slash and carries the query. Its body arrives while it is read."""

    call: str
    method: str
    path: str
    headers: Headers
    cancelled: bool = False
    _pieces: Queue[bytes | None] = field(default_factory=lambda: Queue(WAITING))

    def arrive(self, piece: bytes | None) -> None:
        """Take the next piece of the body; None is its end."""
        self._pieces.put(piece)

    def cancel(self) -> None:
        """Say that nobody waits for the answer any more."""
        self.cancelled = True
        while not self._pieces.empty():
            self._pieces.get_nowait()
        self._pieces.put(None)

    def body(self) -> Iterator[bytes]:
        """Yield the body piece by piece; may be read once. Raises `Cancelled` where the rest of it does not come."""
        while (piece := self._pieces.get()) is not None:
            yield piece
        if self.cancelled:
            raise Cancelled


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, with a body that is whole or comes piece by piece."""

    status: int
    headers: Headers
    body: bytes | Iterator[bytes]

    def frames(self, call: str) -> bytes | Iterator[bytes]:
        """Write the answer to a call as the host reads it: at once where it is short."""
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
