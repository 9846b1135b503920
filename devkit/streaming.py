"""Reads server-sent events as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import requests


@dataclass(frozen=True, slots=True)
class Told:
    """One event: its kind, its data, and the id it carries ("" without one)."""

    kind: str
    data: bytes
    id: str = ""


def events(answer: requests.Response) -> Iterator[Told]:
    """Give the events of an open stream until it ends; raises requests.RequestException."""
    rest = b""
    for block in answer.iter_content(chunk_size=None):
        *whole, rest = (rest + block).split(b"\n\n")
        for text in whole:
            told = _read(text)
            if told is not None:
                yield told


def _read(text: bytes) -> Told | None:
    """Read one event; None for a comment, by which the host says that it is still there."""
    fields = {}
    for line in text.split(b"\n"):
        name, _, value = line.partition(b": ")
        fields[name] = value
    kind = fields.get(b"event")
    return None if kind is None else Told(kind.decode(), fields.get(b"data", b""), fields.get(b"id", b"").decode())
