"""Parts of JSON, its objects and lists: what decoding takes is counted in them, not in bytes.

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
TOO_MANY = f"more than {MAX_PARTS:,} JSON objects and lists, or {MAX_VALUES:,} values"
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_AT_ONCE = 1 << 18
"""Bytes that are looked through in one piece."""


def has_too_many_parts(text: bytes) -> bool:
    """Return whether a JSON text has more than `MAX_PARTS` objects and lists, or `MAX_VALUES` values.

    What is in strings does not count.
    """
    if text.count(b"{") + text.count(b"[") <= MAX_PARTS and text.count(b",") <= MAX_VALUES:
        return False
    quoted = text.replace(rb"\\", b"").replace(rb"\"", b"")  # so that each quotation mark begins or ends a string
    parts = values = inside = 0
    for place in range(0, len(quoted), _AT_ONCE):
        pieces = quoted[place : place + _AT_ONCE].split(b'"')
        outside = b"".join(pieces[inside::2])
        parts += outside.count(b"{") + outside.count(b"[")
        values += outside.count(b",")
        if parts > MAX_PARTS or values > MAX_VALUES:
            return True
        inside ^= (len(pieces) - 1) & 1
    return False


def decoded(text: str | bytes) -> Any:
    """Decode JSON; what has more than `MAX_PARTS` more slowly, so that other threads run meanwhile.

    Raises ValueError for what is not JSON, and RecursionError.
    """
    said = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
    if said.count("{") + said.count("[") <= MAX_PARTS:
        with without_collecting():
            return json.loads(said)
    return _Interruptible().decode(said)


def encoded(value: Any, levels: int) -> Iterator[str]:
    """Encode JSON in pieces: each member of what is at most so many levels deep is one of them."""
    if levels and isinstance(value, dict):
        for place, (name, inner) in enumerate(value.items()):
            yield f"{',' if place else '{'}{json.dumps(name)}:"
            yield from encoded(inner, levels - 1)
        yield "}" if value else "{}"
    elif levels and isinstance(value, list):
        for place, inner in enumerate(value):
            yield "," if place else "["
            yield from encoded(inner, levels - 1)
        yield "]" if value else "[]"
    else:
        yield _ENCODER.encode(value)


@contextmanager
def without_collecting() -> Iterator[None]:
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
