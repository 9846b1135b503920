"""JSON whose numbers are all finite: decoders of other languages refuse `NaN`, and what is larger than 1.8e308."""

from __future__ import annotations

import json
import math
from typing import Any

_SHAPE = bytes(48 if 48 <= sign <= 57 else 101 if sign in b"eE" else 43 if sign == 43 else 32 for sign in range(256))
"""Makes every digit a 0 and blanks what is in no exponent: a look for long ones is cheap, for every render."""
_LONG = b"0" * 24  # numbers are too large from 309 digits on; a short needle is found faster


class NotFinite(ValueError):
    """A number that is not finite; the message is what was written."""


def decode_finite(text: str) -> Any:
    """Decode JSON; raises NotFinite, or ValueError and RecursionError as `json.loads` does."""
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def finite_json(text: bytes) -> bool:
    """Return whether every number in a JSON text is finite; what is not JSON at all is left to whoever reads it."""
    shape = text.translate(_SHAPE)
    words = b"NaN" in text or b"Infinity" in text
    if not (words or b"e000" in shape or b"e+000" in shape or _LONG in shape):
        return True
    try:
        decode_finite(text.decode("utf-8", "surrogatepass"))
    except NotFinite:
        return False
    except (ValueError, RecursionError):
        pass
    return True


def _refuse(written: str) -> float:
    raise NotFinite(written)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refuse(digits)
