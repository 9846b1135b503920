"""Answers that are begun in the transaction of an operation, and wait for a script when it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a handler gives that looked, and found that a script has to be asked: no transaction may wait for that.

    `finish` gives what the handler would have given; it is called once, when the transaction is over.
    """

    finish: Callable[[], Any]
