"""JSON in wire format: compact, UTF-8, without NaN."""

from __future__ import annotations

import json
from typing import Any

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def load(text: bytes | str) -> Any:
    """Parse JSON text; raises ValueError, also for text that is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def dump(value: object) -> bytes:
    """Return a value as JSON; raises TypeError or ValueError if it is not representable."""
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair can come in as an escape; only as an escape can it leave.
        return _encode_ascii(value).encode()
