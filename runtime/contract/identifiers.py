"""Identifiers: what they look like and how they are made."""

from __future__ import annotations

import secrets
from typing import Annotated

from pydantic import StringConstraints

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20
_ALL = 62**LENGTH

IntegrationName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9-_.]+$", max_length=100)]


def new_id() -> str:
    """Make a random identifier of 20 base62 characters, 119 bits."""
    number = secrets.randbits(160) % _ALL  # one call of the kernel; 41 bits more than needed leave no bias to speak of
    characters = []
    for _ in range(LENGTH):
        number, place = divmod(number, 62)
        characters.append(ALPHABET[place])
    return "".join(characters)
