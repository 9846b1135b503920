"""Titles that people give: text that shows something, in whatever script it is written."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator

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
SPACES, CONTROLS = re.compile(r"[\t-\r\x85]+"), re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def on_one_line(text: str) -> str:
    """Write a text without control characters: tabs and line breaks, which may have been pasted, become spaces."""
    if CONTROLS.search(text) is None:
        return text
    line = CONTROLS.sub("", SPACES.sub(" ", text))
    if not line:
        raise ValueError("must have visible characters")
    return line


Line = Annotated[Text, AfterValidator(on_one_line)]
"""A text that lists show: what is stored already is read in the same way."""
Title = Annotated[Line, AfterValidator(seen)]
