"""Parts of JSON, its objects and arrays: what decoding takes is counted in them, not in bytes.

The interpreter's decoder runs in one piece, in which no other request of the process is answered. It takes about a
microsecond for a part, of which a text of a megabyte may have one or three hundred thousand.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MAX_PARTS = 200_000
"""Parts that are decoded in one piece: the most that a body, or an answer of a script, may have."""
MAX_VALUES = 1_000_000
"""The same of everything in them: numbers, texts and so on take a tenth as long as parts."""
TOO_MANY = f"more than {MAX_PARTS:,} JSON objects and arrays, or more than {MAX_VALUES:,} values"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_AT_ONCE = 1 << 18
"""Bytes that are looked through in one piece."""


def has_too_many_parts(text: bytes) -> bool:
    """Return whether a JSON text has more than `MAX_PARTS` objects and arrays, or `MAX_VALUES` values.

    What is in strings does not count.
    """
    if text.count(b"{") + text.count(b"[") <= MAX_PARTS and text.count(b",") <= MAX_VALUES:
        return False
    parts = values = inside = place = 0
    while place < len(text):
        piece = text[place : place + _AT_ONCE]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2:  # the last one escapes the next character
            piece = text[place : place + _AT_ONCE + 1]
        place += len(piece)
        # Without escapes, each quotation mark begins or ends a string.
        pieces = piece.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
        outside = b"".join(pieces[inside::2])
        parts += outside.count(b"{") + outside.count(b"[")
        values += outside.count(b",")
        if parts > MAX_PARTS or values > MAX_VALUES:
            return True
        inside ^= (len(pieces) - 1) & 1
    return False


def decode_json(text: str | bytes) -> Any:
    """Decode JSON; what has too many parts more slowly, so that other threads run meanwhile.

    Raises ValueError for what is not JSON, and RecursionError.
    """
    said = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
    if not has_too_many_parts(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text):
        with _without_collecting():
            return json.loads(said)
    return _Interruptible().decode(said)


def encode_in_pieces(value: Any, levels: int) -> Iterator[str]:
    """Encode JSON in pieces: each member of what is at most so many levels deep is one of them."""
    if levels and isinstance(value, dict):
        for place, (name, inner) in enumerate(value.items()):
            yield f"{',' if place else '{'}{json.dumps(name)}:"
            yield from encode_in_pieces(inner, levels - 1)
        yield "}" if value else "{}"
    elif levels and isinstance(value, list):
        for place, inner in enumerate(value):
            yield "," if place else "["
            yield from encode_in_pieces(inner, levels - 1)
        yield "]" if value else "[]"
    else:
        yield _ENCODER.encode(value)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep Python from looking for garbage in what is just being decoded: none of it is any, and it takes as long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Interruptible(json.JSONDecoder):
    """Decodes in Python: each step lets other threads run."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_object = json.decoder.JSONObject  # type: ignore[attr-defined]
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]
