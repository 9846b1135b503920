"""One thread that has every busy process looked at, so that none stays over its limits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from runtime.engines.exhaustion import EXHAUSTED, Exhaustion

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.05


class WatchedProcess(Protocol):
    """A process that serves calls."""

    def watch(self, now: float) -> None:
        """End the calls that are over time, processor time or memory; `now` is the monotonic clock."""


class Watcher:
    """Watches until it is closed; also does the pool's housekeeping at each tick."""

    def __init__(self, busy: Callable[[], Iterable[WatchedProcess]], housekeeping: Callable[[], None]) -> None:
        self._busy = busy
        self._housekeeping = housekeeping
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="script-watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        exhaustion = Exhaustion(_log, "no workers are started in advance for now")
        while not self._end.wait(_TICK_SECONDS):
            try:
                now = time.monotonic()
                for process in self._busy():
                    process.watch(now)
                self._housekeeping()
            # A watcher that ends would leave every later call without limits.
            except Exception as error:
                if isinstance(error, OSError) and error.errno in EXHAUSTED:
                    exhaustion.pause(error)
                else:
                    _log.exception("the watcher of script calls failed; it goes on")
