"""What is wrong with a value, in a sentence: where, and what; never the value itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import MISSING, ValidationError
from pydantic_core import ErrorDetails

from runtime.contract.errors import BadRequest
from runtime.contract.expected import expected

LONGEST_PLACE = 200
MOST_ERRORS = 50
"""Errors of one value that are considered."""
MAX_ERRORS = 1_000
"""More errors are only counted: building each takes 50 microseconds, in which no other thread runs."""
_CHECKS = re.compile(r"(?:function-(?:after|before|plain|wrap)|lax-or-strict|json-or-python|chain|nullable)\[")
"""How pydantic calls an alternative with functions of ours that check it: by them, and where in memory they are."""
_MOMENT = "must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T12:00:00Z"
_NUMBER, _WHOLE, _TRUTH, _LIST = "must be a number", "must be a whole number", "must be true or false", "must be a list"
SAID: Mapping[str, str] = {
    "missing": "is required",
    "string_type": "must be a text",
    "string_unicode": "must be a text",
    "string_pattern_mismatch": "must match {pattern}",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": "is too large",
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


def bad_request(error: ValidationError, *, of: Any = MISSING, within: str = "", whole: str = "The body") -> BadRequest:
    """Return the error that tells the first of a model's errors, with its field.

    `of` is what was read, so that only names of its own are told; `within` is the field it was read from, `whole` what
    it is else.
    """
    if error.error_count() > MAX_ERRORS:
        many = f"{whole} is not valid in {error.error_count():,} places; compare its fields with the documentation"
        return BadRequest(many, field=within)
    every = error.errors(include_url=False)[:MOST_ERRORS]
    near = _of_nearest_members(every, of)
    first = near[0]
    where = ".".join([*([within] if within else []), *map(str, place_of(first, of))])[:LONGEST_PLACE]
    if first["type"] == "json_invalid":
        what = f"not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
        return BadRequest(what if where else f"{whole} is {what}", field=where)
    what = words(first)
    others = [one for one in near[1:] if _is_alternative(one, first)]
    # A value that fits no member of a union is one mistake, although pydantic reports an error for each member.
    ways = [what, *(said for one in others if (said := words(one)) not in what)]
    if len(ways) > 1 and all(way.startswith("must be ") for way in ways):
        what = " or ".join([ways[0], *(way.removeprefix("must be ") for way in ways[1:])])
    if not where:
        return BadRequest(f"{whole} {what}" if what.startswith(("must ", "is ")) else f"{whole} is not valid: {what}")
    more = error.error_count() - 1 - len(others) - (len(every) - len(near))
    return BadRequest(what + (f" (and {more} more)" if more else ""), field=where)


def _of_nearest_members(errors: Sequence[ErrorDetails], of: Any) -> Sequence[ErrorDetails]:
    """Keep, where an object fits no member of a union, only the errors of the member it comes nearest to.

    The location of such an error contains the name of the member, which is recognized by not being in `of`: without
    `of`, all errors are kept.
    """
    if of is MISSING:
        return errors
    for place in sorted({place for one in errors for place in _unions(one, of)}, key=len):
        members: dict[int | str, list[ErrorDetails]] = {}
        for one in errors:
            if one["loc"][: len(place)] == place and len(one["loc"]) > len(place):
                members.setdefault(one["loc"][len(place)], []).append(one)
        if any(len(one["loc"]) > len(place) + 1 for member in members.values() for one in member):
            nearest = min(members.values(), key=lambda member: _distance(member, len(place)))
            farther = {id(one) for member in members.values() if member is not nearest for one in member}
            errors = [one for one in errors if id(one) not in farther]
    return errors


def _unions(one: ErrorDetails, of: Any) -> Iterator[tuple[int | str, ...]]:
    """Yield the locations, on the way to an error, of values whose type is a union."""
    loc = one["loc"][:-1] if one["type"] == "missing" else one["loc"]
    for number, part in enumerate(loc):
        if _has(of, part):
            of = of[part]
        else:
            yield loc[:number]


def _distance(errors: Sequence[ErrorDetails], depth: int) -> tuple[bool, int]:
    """Measure how far a value is from a member: whether its type is wrong, and how many fields are missing or wrong."""
    beyond = [(len(one["loc"]) - depth - 1, one["type"]) for one in errors]
    return (
        any(number == 0 and (kind.endswith("_type") or kind == "literal_error") for number, kind in beyond),
        sum(number == 1 and kind in ("missing", "literal_error") for number, kind in beyond),
    )


def _has(values: Any, part: int | str) -> bool:
    in_list = isinstance(values, list) and isinstance(part, int) and part < len(values)
    return in_list or (isinstance(values, Mapping) and part in values)


def _is_alternative(other: ErrorDetails, first: ErrorDetails) -> bool:
    """Whether two errors are about the same value, each for another member of a union."""
    return (
        len(first["loc"]) > 1
        and len(other["loc"]) == len(first["loc"])
        and other["loc"][:-1] == first["loc"][:-1]
        and other["input"] == first["input"]
    )


def place_of(first: ErrorDetails, of: Any = MISSING) -> Sequence[int | str]:
    """Return the names and numbers that lead to what is wrong, as whoever sent `of` knows them.

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
    if kind == "string_pattern_mismatch" and (wanted := expected(about["pattern"])) is not None:
        return f"must be {wanted}"
    said = SAID.get(kind)
    whole = {name: int(value) for name, value in about.items() if isinstance(value, float) and value.is_integer()}
    return said.format(**about | whole) if said is not None else first["msg"]


def _inside(values: Any, loc: Sequence[int | str], *, missing: bool) -> list[int | str]:
    """Leave out of a location what is not in the values; the last one may be what is missing."""
    place: list[int | str] = []
    for number, part in enumerate(loc):
        if _has(values, part):
            values = values[part]
            place.append(part)
        elif missing and number == len(loc) - 1:
            place.append(part)
    return place
