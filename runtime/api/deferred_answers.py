"""Answers that are prepared in the transaction of an operation, and wait for a script after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DeferredAnswer:
    """The result of a handler that found that a script must be called, which no transaction may wait for.

    `finish` returns what the handler would have returned; it is called once, after the transaction.
    """

    finish: Callable[[], Any]
