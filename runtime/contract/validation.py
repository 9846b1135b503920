"""What is wrong with a value, in a sentence: where, and what; never the value itself."""

from __future__ import annotations

import re

from pydantic import ValidationError
from pydantic_core import ErrorDetails

LONGEST_PLACE = 200
_CHECKS = re.compile(r"(?:function-(?:after|before|plain|wrap)|lax-or-strict|json-or-python|chain|nullable)\[")
"""How pydantic calls an alternative with functions of ours that check it: by them, and where in memory they are."""


def sentence(error: ValidationError, *, within: str = "", whole: str = "The body") -> str:
    """Word the first of a model's errors; `within` is the field the model was read from, `whole` what it is else."""
    first = error.errors(include_url=False)[0]
    where = ".".join([*([within] if within else []), *place_of(first)])[:LONGEST_PLACE]
    if first["type"] == "json_invalid":
        what = f"not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
        return f"{where}: {what}" if where else f"{whole} is {what}"
    what = _what(first)
    if not where:
        return f"{whole} is not valid: {what}"
    more = error.error_count() - 1
    return f"{where}: {what}" + (f" (and {more} more)" if more else "")


def place_of(first: ErrorDetails) -> list[str]:
    """Give the names and numbers that lead to what is wrong, as whoever sent it knows them."""
    return [part for part in map(str, first["loc"]) if not _CHECKS.match(part)]


def _what(first: ErrorDetails) -> str:
    """Give the message; of the length of a text that was checked before, pydantic says "items"."""
    bounds, text = first.get("ctx", {}), first["input"]
    if isinstance(text, str) and first["type"] in ("too_long", "too_short"):
        most = first["type"] == "too_long"
        bound = bounds["max_length" if most else "min_length"]
        return f"must have at {'most' if most else 'least'} {bound} characters, not {bounds['actual_length']}"
    return first["msg"]
