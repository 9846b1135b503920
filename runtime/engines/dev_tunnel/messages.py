"""Frames between a caller, the process that holds a developer's line, and the developer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from runtime.engines.frames import HEAD, FrameError

CALL = 1  # caller to line; JSON of a `TunnelCall` without its body
BODY = 2  # a piece of a body
END = 3  # the body is whole
ANSWER = 4  # JSON with status and headers; from the developer also the call it answers
TAKEN = 5  # line to the sender of an answer: it was passed on
GONE = 6  # line to the sender of an answer: nobody is waiting for it any longer
BUSY = 7  # line to caller: too many calls are in flight
REPLACED = 8  # a newer line of the same tunnel to the previous one

PIECE = 48 * 1024
"""Bytes of a body in one frame, and in one event of the stream."""
MAX_HEAD = 256 * 1024
BOUNDS = {CALL: MAX_HEAD, BODY: PIECE, END: 0, ANSWER: MAX_HEAD, TAKEN: 0, GONE: 0, BUSY: 0, REPLACED: 0}

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TunnelCall:
    """A request to a developer's machine; `path` begins with a slash and may contain a query."""

    method: str
    path: str
    headers: Headers
    body: Iterator[bytes] = field(default_factory=lambda: iter(()))

    def head(self) -> bytes:
        """Return everything but the body, as JSON."""
        return json.dumps({"method": self.method, "path": self.path, "headers": self.headers}).encode()


@dataclass(frozen=True, slots=True)
class TunnelAnswer:
    """The answer of a developer's machine; `body` may be read once, and raises `LineBroken` if it is incomplete."""

    status: int
    headers: Headers
    body: Iterator[bytes]


def answer_head(payload: bytes) -> tuple[int, Headers, str]:
    """Parse the head of an answer: status, headers, call ("" if there is none); raises `FrameError`."""
    try:
        fields: dict[str, Any] = json.loads(payload)
        status, headers = int(fields["status"]), [(str(name), str(value)) for name, value in fields["headers"]]
        call = str(fields.get("call", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise FrameError("the head of an answer is not JSON with status and headers") from error
    if not 200 <= status <= 599:
        raise FrameError(f"{status} is not a status of an answer")
    return status, headers, call


def pieces(body: Iterator[bytes]) -> Iterator[bytes]:
    """Split a body into chunks that fit into frames."""
    for block in body:
        for start in range(0, len(block), PIECE):
            yield block[start : start + PIECE]


def read_frames(read: Callable[[int], bytes]) -> Iterator[tuple[int, bytes]]:
    """Read frames up to `END` with a function that returns the requested number of bytes; raises `FrameError`."""
    kind = 0
    while kind != END:
        head = read(HEAD.size)
        if len(head) < HEAD.size:
            raise FrameError("the body ends in the middle of an answer")
        kind, size = HEAD.unpack(head)
        if size > BOUNDS.get(kind, -1):
            raise FrameError(f"a frame of kind {kind} with {size} bytes")
        payload = read(size) if size else b""
        if len(payload) < size:
            raise FrameError("the body ends in the middle of a frame")
        yield kind, payload
