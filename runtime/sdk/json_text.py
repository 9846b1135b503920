"""JSON in wire format: compact, UTF-8, without NaN."""

from __future__ import annotations

import json
import math
from typing import Any

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
DEEPEST = 100
"""Levels of a value that are looked at for what JSON cannot hold."""
_encode_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def load(text: bytes | str) -> Any:
    """Parse JSON text; raises ValueError, also for text that is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def dump(value: object) -> bytes:
    """Return a value as JSON; raises TypeError or ValueError, with the place, if it is not representable."""
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair can come in as an escape; only as an escape can it leave.
        return _encode_ascii(value).encode()
    except (TypeError, ValueError) as error:
        wrong = misfit(value)
        if wrong is None:
            raise
        raise type(error)(f"{wrong}, which JSON cannot hold") from None


def misfit(value: object, place: str = "", depth: int = 0) -> str | None:
    """Say what of a value JSON cannot hold, and where, as in "state.open is a set"; None where nothing is found."""
    if value is None or isinstance(value, (str, bool, int)):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{place or 'it'} is {value}"
    if not isinstance(value, (dict, list, tuple)):
        return f"{place or 'it'} is a {type(value).__name__}"
    if depth > DEEPEST:
        return None
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inside:
        if not isinstance(key, (str, int, float, type(None))):
            return f"a key of {place or 'it'} is a {type(key).__name__}"
        if isinstance(key, float) and not math.isfinite(key):
            return f"a key of {place or 'it'} is {key}"
        found = misfit(item, f"{place}.{key}" if place else str(key), depth + 1)
        if found is not None:
            return found
    return None
