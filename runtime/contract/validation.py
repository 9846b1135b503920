"""What is wrong with a value, in a sentence: where, and what; never the value itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import MISSING, ValidationError
from pydantic_core import ErrorDetails

LONGEST_PLACE = 200
_CHECKS = re.compile(r"(?:function-(?:after|before|plain|wrap)|lax-or-strict|json-or-python|chain|nullable)\[")
"""How pydantic calls an alternative with functions of ours that check it: by them, and where in memory they are."""
_MOMENT = "must be a moment as ISO 8601 with a time zone, such as 2026-01-31T12:00:00Z"
_NUMBER, _WHOLE, _TRUTH, _LIST = "must be a number", "must be a whole number", "must be true or false", "must be a list"
SAID: Mapping[str, str] = {
    "missing": "is required",
    "string_type": "must be a text",
    "string_unicode": "must be a text",
    "string_pattern_mismatch": "must match {pattern}",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": "is too large a number",
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "none_required": "must be null",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "datetime_object_invalid": _MOMENT,
    "timezone_aware": _MOMENT,
    "extra_forbidden": "is not known here",
    "union_tag_not_found": "is required",
    "union_tag_invalid": "must be one of {expected_tags}",
    "value_error": "{error}",
}
"""What is said of each of pydantic's errors that bodies can have, with what it knows; of others what it says itself."""


def sentence(error: ValidationError, *, of: Any = MISSING, within: str = "", whole: str = "The body") -> str:
    """Word the first of a model's errors.

    `of` is what was read, so that only names of its own are told; `within` is the field it was read from, `whole` what
    it is else.
    """
    first = error.errors(include_url=False)[0]
    where = ".".join([*([within] if within else []), *map(str, place_of(first, of))])[:LONGEST_PLACE]
    if first["type"] == "json_invalid":
        what = f"not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
        return f"{where}: {what}" if where else f"{whole} is {what}"
    what = words(first)
    others = [one for one in error.errors(include_url=False)[1:50] if _is_alternative(one, first)]
    # A value that fits none of the members of a union is wrong once, in one way for each.
    ways = [what, *(said for one in others if (said := words(one)) not in what)]
    if len(ways) > 1 and all(way.startswith("must be ") for way in ways):
        what = " or ".join([ways[0], *(way.removeprefix("must be ") for way in ways[1:])])
    if not where:
        return f"{whole} {what}" if what.startswith(("must ", "is ")) else f"{whole} is not valid: {what}"
    more = error.error_count() - 1 - len(others)
    return f"{where}: {what}" + (f" (and {more} more)" if more else "")


def _is_alternative(other: ErrorDetails, first: ErrorDetails) -> bool:
    """Whether two errors are those of two members of a union for the same value."""
    return (
        len(first["loc"]) > 1
        and len(other["loc"]) == len(first["loc"])
        and other["loc"][:-1] == first["loc"][:-1]
        and (other["input"] is first["input"])
    )


def place_of(first: ErrorDetails, of: Any = MISSING) -> Sequence[int | str]:
    """Give the names and numbers that lead to what is wrong, as whoever sent `of` knows them.

    Pydantic puts the names of a union's members between them, which are in no value.
    """
    place = [part for part in first["loc"] if not _CHECKS.match(str(part))]
    if of is not MISSING:
        place = _inside(of, place, missing=first["type"] == "missing")
    if first["type"].startswith("union_tag_"):
        place.append(first["ctx"]["discriminator"].strip("'"))
    return place


def words(first: ErrorDetails) -> str:
    """Say what is wrong: needs the context of an error, and for the length of a text its input."""
    kind, about = first["type"], first.get("ctx", {})
    if kind.endswith(("too_long", "too_short")):
        most = kind.endswith("long")
        # Of the length of a text that was checked before, pydantic says "items".
        bound = about["max_length" if most else "min_length"]
        what = "character" if kind.startswith("string_") or isinstance(first["input"], str) else "item"
        what = what if bound == 1 else f"{what}s"
        there = f", not {about['actual_length']}" if about.get("actual_length") is not None else ""
        return f"must have at {'most' if most else 'least'} {bound} {what}{there}"
    said = SAID.get(kind)
    return said.format(**about) if said is not None else first["msg"]


def _inside(values: Any, loc: Sequence[int | str], *, missing: bool) -> list[int | str]:
    """Leave out of a location what is not in the values; the last one may be what is missing."""
    place: list[int | str] = []
    for number, part in enumerate(loc):
        in_list = isinstance(values, list) and isinstance(part, int) and part < len(values)
        if in_list or (isinstance(values, Mapping) and part in values):
            values = values[part]
            place.append(part)
        elif missing and number == len(loc) - 1:
            place.append(part)
    return place
