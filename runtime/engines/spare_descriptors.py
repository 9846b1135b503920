"""Reserves file descriptors for the checks that limits depend on, for when the process has run out of others."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

MANY = 8
"""A check needs one at a time; the others are for when another thread takes a freed one before the check can."""
_NONE_LEFT = (errno.EMFILE, errno.ENFILE)


class SpareDescriptors:
    """Holds some open; safe to use from many threads."""

    def __init__(self, many: int = MANY) -> None:
        """Take how many; they are opened when they are first asked for."""
        self._many = many
        self._held: list[int] = []
        self._lock = threading.Lock()

    def run(self, check: Callable[[], T]) -> T:
        """Call `check`, which opens one file at a time; if descriptors run out, retry with the reserved ones."""
        if len(self._held) < self._many:
            with self._lock:
                self._fill()
        try:
            return check()
        except OSError as error:
            if error.errno not in _NONE_LEFT:
                raise
        return self._run_with_spare(check)

    def _run_with_spare(self, check: Callable[[], T]) -> T:
        with self._lock:
            try:
                while True:
                    if self._held:
                        os.close(self._held.pop())
                    try:
                        return check()
                    except OSError as error:
                        if error.errno not in _NONE_LEFT or not self._held:
                            raise
            finally:
                self._fill()

    def _fill(self) -> None:
        with suppress(OSError):  # none is free; the next check tries again
            while len(self._held) < self._many:
                self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
