"""The frames between the host and a worker: one kind byte, a length, a payload.

`javascript/inside/frames.mjs` repeats the numbers and sizes: whoever changes one changes the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from socket import socket
from struct import Struct

HEAD = Struct("<BI")

# Host to worker.
LOAD = 1
CALL = 2
OPEN = 3  # connect once more, as the channel of this number
PING = 4
JOIN = 5  # take commands from one more serving process, whose sockets have this number in their names
HELLO_HEAD = Struct("<I")
LOAD_HEAD = Struct("<QBH")  # memory limit in bytes, 1 for a zip bundle, length of the entry name
CALL_HEAD = Struct("<IIIq")  # sequence, lengths of event, environment and fetch body (-1: none)

# Worker to host.
HELLO = 16  # carries the egress socket, and which process it is as itself sees it
BROKEN = 17  # the worker could not be set up; a sentence
READY = 18  # loaded; JSON of what the script registered
FAULT = 19  # JSON of a ScriptFault
LOG = 20  # a level byte, then text
ANSWER = 21
CHUNK = 22
END = 23  # the last chunk was sent
IDLE = 24  # the work after the answer is done; the memory peak
SPENT = 25  # the script ran out of memory
PONG = 26  # the event loop runs
LOCKED = 27  # all rights are given up, a script may be sent; one byte: whether socket buffers are bounded
PLACE = 28  # JSON of a ScriptFault: the line of the script that runs now, as the host asked with a signal
ANSWER_HEAD = Struct("<IHBIQ")  # sequence, status, flags, length of the headers, memory peak in bytes
IDLE_HEAD = Struct("<IQ")  # sequence, memory peak in bytes

STREAMED = 1  # the body follows in chunks
DEFERRED = 2  # work goes on after the answer; IDLE follows

LEVELS = ("debug", "info", "warn", "error")

_BLOCK = 65536


class FrameError(Exception):
    """The other side violated the protocol."""


class FrameTooLarge(FrameError):
    """A frame is longer than its kind allows."""

    def __init__(self, kind: int, size: int) -> None:
        super().__init__(f"frame {kind} of {size} bytes")
        self.kind = kind
        self.size = size


def pack(kind: int, payload: bytes) -> bytes:
    """Return one whole frame."""
    return HEAD.pack(kind, len(payload)) + payload


class FrameReader:
    """Reads frames from a blocking stream socket, usually one `recv` each."""

    __slots__ = ("_bounds", "_pending", "_receive")

    def __init__(self, connection: socket, bounds: Mapping[int, int]) -> None:
        """Take the largest payload allowed for each kind, in bytes; other kinds are refused."""
        self._receive = connection.recv
        self._bounds = bounds
        self._pending = b""

    def next(self, bounds: Mapping[int, int] | None = None) -> tuple[int, bytes]:
        """Return kind and payload; raises `EOFError` at the end, `FrameError` on nonsense, `OSError`."""
        pending = self._pending or self._more()
        while len(pending) < 5:
            pending += self._more()
        kind, size = HEAD.unpack_from(pending)
        bound = (bounds or self._bounds).get(kind)
        if bound is None:
            raise FrameError(f"unknown frame {kind}")
        if size > bound:
            raise FrameTooLarge(kind, size)
        end = size + 5
        if len(pending) < end:
            pending = self._gather(pending, end)
        if len(pending) == end:
            self._pending = b""
            return kind, pending[5:]
        self._pending = pending[end:]
        return kind, pending[5:end]

    def _gather(self, pending: bytes, end: int) -> bytes:
        parts, have = [pending], len(pending)
        while have < end:
            part = self._more()
            parts.append(part)
            have += len(part)
        return b"".join(parts)

    def _more(self) -> bytes:
        block = self._receive(_BLOCK)
        if not block:
            raise EOFError
        return block
