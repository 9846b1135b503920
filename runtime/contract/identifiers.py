"""Identifiers: what they look like and how they are made."""

from __future__ import annotations

import secrets
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import has_no_nul

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20
_ALL = 62**LENGTH

IntegrationName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9-_.]+$", max_length=100)]
ObjectId = Annotated[str, AfterValidator(has_no_nul), StringConstraints(min_length=1, max_length=100)]
"""The id of an object, as far as a body must be believed."""


def new_id() -> str:
    """Make a random identifier of 20 base62 characters, 119 bits."""
    number = secrets.randbits(160) % _ALL  # one call of the kernel; 41 bits more than needed leave no bias to speak of
    characters = []
    for _ in range(LENGTH):
        number, place = divmod(number, 62)
        characters.append(ALPHABET[place])
    return "".join(characters)
