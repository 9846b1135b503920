"""Finds serving processes that hang, so that the one that leads them ends them and starts others.

Native code may keep the interpreter for as long as it takes, as Python's regular expressions do: no other thread of the
process runs meanwhile, none can end it, and `/healthz` does not answer. So each serving process counts for as long as
it runs, and the leader looks whether it goes on.
"""

from __future__ import annotations

import faulthandler
import logging
from collections.abc import Sequence
from typing import Any

from runtime.engines.threads import RepeatingThread

log = logging.getLogger(__name__)

BEAT = 1.0
"""Seconds between two counts."""
BETWEEN, LOOKS = 9.0, 7
"""Seconds between two looks of the leader, at least, and how many find the same count of a process that hangs: about a
minute. Looks are counted and not seconds, since a host that was stopped (Ctrl-Z, a frozen container) has not looked."""
FAILED = "the heartbeat of this process failed; the process that leads it may end it"


def beat(beats: Any, index: int) -> None:
    """Count in this serving process, until it ends; the signal that ends one that hangs has it write what it did."""
    faulthandler.enable()

    def count() -> float:
        beats[index] += 1
        return BEAT

    RepeatingThread("heartbeat", count, log=log, failed=FAILED).start()


class Hanging:
    """Which serving processes hang; decides, and does nothing. Moments are monotonic seconds."""

    def __init__(self) -> None:
        self._looked = 0.0
        self._same: dict[int, tuple[int, int]] = {}

    def found(self, beats: Sequence[int], now: float) -> list[int]:
        """Look at the counts of all processes, 0 for one that has not begun; returns the indexes of those that hang."""
        if now - self._looked < BETWEEN:
            return []
        self._looked = now
        hanging = []
        for index, count in enumerate(beats):
            before, times = self._same.get(index, (0, 0))
            times = times + 1 if count and count == before else 0
            if times >= LOOKS:
                hanging.append(index)
                times = 0
            self._same[index] = count, times
        return hanging
