"""Limits long work per organization, so that a neighbor's few threads do not compete with forty of another's.

`InterpreterTurns` are a courtesy: who computes for longer than a moment counts no more, and the next begins. For pages
that take a second of the processor that is no bound: fifty readers of one had fifty threads computing, and each page of
anybody else took as long as fifty of them. Here work that is known, or was found, to be long is done two at a time for
each organization. Work that is short waits for nobody.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from runtime.engines.interpreter_turns import Waiting
from runtime.engines.shares import Turns

AT_ONCE = 2
PATIENCE = 10.0
"""Seconds for which a thread waits."""
COSTLY = 0.1
"""Seconds of the processor that make work long."""
REMEMBERED = 60.0
"""Seconds for which work that was long at least twice is treated as long, counted from the last time."""
MOST = 10_000
"""Kinds of work that are remembered; then the oldest is forgotten."""


class CostlyTurns:
    """Bounds how much long work of each organization is done at a time; safe to use from many threads."""

    def __init__(self, waiting: int) -> None:
        """Take how many threads of an organization wait."""
        self._turns = Turns(AT_ONCE, waiting, PATIENCE)
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], tuple[int, float]] = {}

    @contextmanager
    def turn(self, owner: str, work: str, *, long: bool = False) -> Iterator[None]:
        """Do work for an organization, `long` where that is known; raises `NoneLeft` where too much of it waits."""
        with ExitStack() as held:
            if long or self._is_costly((owner, work)):
                with Waiting():
                    held.enter_context(self._turns.turn(owner))
            begun = time.thread_time()
            try:
                yield
            finally:
                if time.thread_time() - begun > COSTLY:
                    self._remember((owner, work))

    def _remember(self, work: tuple[str, str]) -> None:
        with self._lock:
            before, _ = self._found.pop(work, (0, 0.0))
            self._found[work] = before + 1, time.monotonic()
            if len(self._found) > MOST:
                del self._found[next(iter(self._found))]

    def _is_costly(self, work: tuple[str, str]) -> bool:
        times, last = self._found.get(work, (0, 0.0))
        return times > 1 and time.monotonic() - last < REMEMBERED  # the first time may have loaded something
