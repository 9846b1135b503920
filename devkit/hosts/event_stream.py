"""Reads server-sent events as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import requests
from urllib3.exceptions import HTTPError

PIECE = 1 << 16
LONGEST = 32 * 1024 * 1024
"""Bytes of one event that are read: more than a host ever sends in one."""
MOST_LINES = 100
"""Lines of one event that are read; hosts send one for each of its fields."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its kind, its data, and the id it carries ("" without one)."""

    kind: str
    data: bytes
    id: str = ""


def events(answer: requests.Response) -> Iterator[ServerSentEvent]:
    """Yield the events of an open stream until it ends; raises requests.RequestException, also for one without end."""
    rest = bytearray()
    for piece in _pieces(answer):
        seen = max(len(rest) - 1, 0)  # there is no end of an event in what came before, but for its last byte
        rest += piece
        begin = 0
        while (end := rest.find(b"\n\n", max(begin, seen))) >= 0:
            message = _read(bytes(rest[begin:end]))
            begin = end + 2
            if message is not None:
                yield message
        del rest[:begin]
        if len(rest) > LONGEST:
            raise requests.RequestException(f"an event has more than {LONGEST // 1024 // 1024} MB")


def _pieces(answer: requests.Response) -> Iterator[bytes]:
    """Yield what arrives when it arrives, and never more than a piece at once; raises requests.RequestException."""
    if answer.raw.chunked or "Content-Encoding" in answer.headers:
        yield from answer.iter_content(PIECE)
        return
    try:
        while piece := answer.raw.read1(PIECE):
            yield piece
    except HTTPError as error:
        raise requests.ConnectionError(error) from error


def _read(text: bytes) -> ServerSentEvent | None:
    """Read one event; None for a comment, by which the host says that it is still there."""
    fields = {}
    for line in text.split(b"\n", MOST_LINES)[:MOST_LINES]:
        name, _, value = line.partition(b": ")
        fields[name] = value
    kind = fields.get(b"event")
    if kind is None:
        return None
    return ServerSentEvent(_text(kind), fields.get(b"data", b""), _text(fields.get(b"id", b"")))


def _text(value: bytes) -> str:
    return value.decode(errors="replace")
