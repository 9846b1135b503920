"""Titles that people give: text that shows something, in whatever script it is written."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import Text
from runtime.contract.expected import expecting

BLANK = "\u2800\u3164\u115f\u1160\uffa0"
"""Letters and symbols by their category, of which nothing is seen."""


def shows(character: str) -> bool:
    """Return whether anything of a character is seen: blanks, controls and zero-width characters are not."""
    return unicodedata.category(character)[0] not in "ZC" and character not in BLANK


def seen(text: str) -> str:
    """Refuse text that is not empty and yet shows nothing."""
    if text and not any(map(shows, text)):
        raise ValueError("must have visible characters; it has only spaces")
    return text


ONE_LINE = expecting("one line without control characters", r"^[^\x00-\x1f\x7f-\x9f]*$")
"""A terminal obeys control characters, and no list shows several lines."""
Title = Annotated[Text, StringConstraints(pattern=ONE_LINE), AfterValidator(seen)]
