"""Identifiers: what they look like and how they are made."""

from __future__ import annotations

import os
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from runtime.contract.base import has_no_nul

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 20
_ALL = 62**LENGTH
_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]

IntegrationName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9-_.]+$", max_length=100)]
ObjectId = Annotated[str, AfterValidator(has_no_nul), StringConstraints(min_length=1, max_length=100)]
"""The id of an object, as far as a body must be believed."""


# Random bytes for several ids, fetched together: each call of the kernel releases the interpreter, and the thread then
# waits to get it back. Taking from a list is atomic. A forked process starts with none, or it would repeat ids.
_BYTES, _AT_ONCE = 20, 64
_random: list[bytes] = []
os.register_at_fork(after_in_child=_random.clear)


def _some_random() -> bytes:
    try:
        return _random.pop()
    except IndexError:
        fresh = os.urandom(_BYTES * _AT_ONCE)
        _random.extend(fresh[at : at + _BYTES] for at in range(_BYTES, len(fresh), _BYTES))
        return fresh[:_BYTES]


def new_id() -> str:
    """Make a random identifier of 20 base62 characters, 119 bits."""
    number = int.from_bytes(_some_random()) % _ALL  # 41 bits more than needed leave no bias to speak of
    pairs = []
    for _ in range(LENGTH // 2):
        number, place = divmod(number, len(_PAIRS))
        pairs.append(_PAIRS[place])
    return "".join(pairs)
