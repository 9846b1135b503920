"""Reads server-sent events as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import requests

LONGEST = 128 * 1024 * 1024
"""Bytes of one event that are read, as of one answer."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its kind, its data, and the id it carries ("" without one)."""

    kind: str
    data: bytes
    id: str = ""


def events(answer: requests.Response) -> Iterator[ServerSentEvent]:
    """Yield the events of an open stream until it ends; raises requests.RequestException, also for one without end."""
    rest, size = [b""], 0
    for block in answer.iter_content(chunk_size=None):
        rest.append(block)
        if b"\n" in block:  # else it ends no event, and what came before need not be looked through again
            *whole, last = b"".join(rest).split(b"\n\n")
            rest, size = [last], len(last)
            for text in whole:
                message = _read(text)
                if message is not None:
                    yield message
        else:
            size += len(block)
        if size > LONGEST:
            raise requests.RequestException(f"an event has more than {LONGEST // 1024 // 1024} MB")


def _read(text: bytes) -> ServerSentEvent | None:
    """Read one event; None for a comment, by which the host says that it is still there."""
    fields = {}
    for line in text.split(b"\n"):
        name, _, value = line.partition(b": ")
        fields[name] = value
    kind = fields.get(b"event")
    return (
        None
        if kind is None
        else ServerSentEvent(kind.decode(), fields.get(b"data", b""), fields.get(b"id", b"").decode())
    )
