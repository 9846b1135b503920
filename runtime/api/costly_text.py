"""A text that anybody may ask for and that takes long to write: its readers together take little of the host."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SHARE = 0.1
"""Part of a processor's time that goes into it in the long run."""
AT_ONCE = 2.0
"""Seconds of processor time that may be taken at once, after it was asked for seldom."""


class CostlyText:
    """Written anew for each reader; while they ask too often, they get what was written last."""

    def __init__(self, write: Callable[[], bytes]) -> None:
        """Take the function that writes it."""
        self._write = write
        self._writing = threading.Lock()
        self._last: bytes | None = None
        self._left, self._since, self._begun = AT_ONCE, time.monotonic(), 0.0

    def read(self) -> bytes:
        """Return the text; one thread at a time writes it, also for those who asked before it began."""
        asked = time.monotonic()
        with self._writing:
            moment = time.monotonic()
            if self._last is not None and self._begun >= asked:
                return self._last
            self._left = min(AT_ONCE, self._left + (moment - self._since) * SHARE)
            self._since = moment
            if self._last is None or self._left > 0:
                began = time.thread_time()
                self._last = self._write()
                self._left -= time.thread_time() - began
                self._begun = moment
            return self._last
