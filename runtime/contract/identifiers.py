"""Identifiers: what they look like and how they are made."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import has_no_nul
from runtime.contract.expected import DOTTED
from runtime.contract.integration_names import LONGEST_NAME, is_integration_name

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20


def _not_dots_alone(name: str) -> str:
    if not is_integration_name(name):
        raise ValueError("must not consist of dots alone")
    return name


IntegrationName = Annotated[
    str, StringConstraints(pattern=DOTTED, max_length=LONGEST_NAME), AfterValidator(_not_dots_alone)
]
ObjectId = Annotated[str, AfterValidator(has_no_nul), StringConstraints(min_length=1, max_length=100)]
"""The id of an object, as far as a body must be believed."""


# Random bytes for several ids, fetched together: each call of the kernel releases the interpreter, and the thread then
# waits to get it back. Taking from a list is atomic. A forked process starts with none, or it would repeat ids.
_BYTES, _AT_ONCE = 40, 64
_random: list[bytes] = []
os.register_at_fork(after_in_child=_random.clear)

# A byte stands for a letter four times over; the eight values that are left stand for none, so that all are as likely.
_LETTER_OF = ALPHABET.encode() * 4 + bytes(256 - 4 * len(ALPHABET))
_LEFT_OVER = bytes(range(4 * len(ALPHABET), 256))


def _some_random() -> bytes:
    try:
        return _random.pop()
    except IndexError:
        fresh = os.urandom(_BYTES * _AT_ONCE)
        _random.extend(fresh[at : at + _BYTES] for at in range(_BYTES, len(fresh), _BYTES))
        return fresh[:_BYTES]


def new_id() -> str:
    """Make a random identifier of 20 base62 characters, 119 bits."""
    letters = b""
    while len(letters) < LENGTH:  # one call in 10^20 needs more than one round
        letters += _some_random().translate(_LETTER_OF, _LEFT_OVER)
    return letters[:LENGTH].decode()
