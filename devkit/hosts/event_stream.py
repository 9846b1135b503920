"""Reads server-sent events as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import requests


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its kind, its data, and the id it carries ("" without one)."""

    kind: str
    data: bytes
    id: str = ""


def events(answer: requests.Response) -> Iterator[ServerSentEvent]:
    """Yield the events of an open stream until it ends; raises requests.RequestException."""
    rest = b""
    for block in answer.iter_content(chunk_size=None):
        *whole, rest = (rest + block).split(b"\n\n")
        for text in whole:
            message = _read(text)
            if message is not None:
                yield message


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
