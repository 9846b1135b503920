"""Text of a specification -> values: JSON or YAML, within bounds."""

from __future__ import annotations

import codecs
import json
from typing import Any

from runtime.contract.finite_json import NotFinite, decode_finite
from runtime.services.openapi_specs.faults import LONG, Count, Unreadable, check_depth
from runtime.services.openapi_specs.yaml_reading import read_yaml

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read(content: bytes, count: Count) -> Any:
    """Read one file; raises Unreadable. Keys of its objects are texts, its numbers finite."""
    text = decoded(content)
    if not text.strip():
        raise Unreadable("The file is empty.")
    if not text.lstrip().startswith(("{", "[")):
        return read_yaml(text, count)
    try:
        value = decode_finite(text)
    except RecursionError:
        check_depth(1 << 30)
    except json.JSONDecodeError as error:
        return _maybe_yaml(text, error, count)
    except NotFinite as error:
        written = str(error)
        number = written if len(written) <= 30 else f"{written[:30]}…"
        raise Unreadable(f"The JSON has the number {number}; numbers must be finite.") from None
    except ValueError as error:  # a number with more digits than any reader takes
        raise Unreadable(f"The JSON cannot be read: {error}") from None
    _measure(value, count)
    return value


def decoded(content: bytes) -> str:
    """Read bytes as text: UTF-8, or what a byte order mark names; raises Unreadable."""
    marked = next(((mark, name) for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), (b"", "utf-8"))
    content, encoding = content[len(marked[0]) :], marked[1]
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"The file is not text in {encoding.upper()}: byte {error.start} is not valid.") from None


def _maybe_yaml(text: str, error: json.JSONDecodeError, count: Count) -> Any:
    """Read what begins like JSON and is none: YAML may begin in the same way."""
    try:
        return read_yaml(text, count)
    except Unreadable:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"The JSON cannot be read: {error.msg} at {place}.") from None


def _measure(value: Any, count: Count) -> None:
    """Count the values, one level after the other."""
    level, depth = [value], 0
    while level:
        count.add(len(level))
        check_depth(depth)
        following: list[Any] = []
        for one in level:
            if type(one) is dict:
                following.extend(one.values())
            elif type(one) is list:
                following.extend(one)
            elif type(one) is str and len(one) >= LONG:
                count.add(len(one) // LONG)
        level, depth = following, depth + 1
