"""Emoji in wire format: code points in hexadecimal."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import Text

CODE_POINTS = re.compile(r"[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,11}")
LONGEST = 100
"""Characters of one emoji's code points; the longest that exist have 54."""


def _emoji(value: str) -> str:
    """Take an emoji as its code points; one that was sent as itself is written so."""
    written = value.lower() if value.isascii() else "-".join(f"{ord(sign):x}" for sign in value)
    if not CODE_POINTS.fullmatch(written) or any(not _is_sign(part) for part in written.split("-")):
        raise ValueError("must be the code points of an emoji, such as `1f44d`")
    return written


def _is_sign(digits: str) -> bool:
    number = int(digits, 16)
    return 0x20 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF


Emoji = Annotated[Text, StringConstraints(min_length=1, max_length=LONGEST), AfterValidator(_emoji)]
