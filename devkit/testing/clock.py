"""A clock that stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import time_machine

from devkit.offline.simulated_host import MOMENT
from devkit.testing.integration import Integration
from devkit.testing.results import Result

__tracebackhide__ = True  # a failed test shows its own lines, and the script's


class Clock:
    """Time as the test and the script see it; in its sandbox a script sees the real time, and its tasks this one."""

    def __init__(self, integration: Integration, traveller: time_machine.Traveller) -> None:
        self._integration, self._traveller = integration, traveller

    @property
    def now(self) -> datetime:
        """The moment it is, in UTC."""
        return datetime.now(UTC)

    def advance(self, seconds: float) -> list[Result]:
        """Let time pass; gives the results of the tasks that came due, each worked off at its moment."""
        return self._integration.advance(seconds)

    def set(self, moment: datetime) -> None:
        """Make it another moment; tasks keep waiting as long as before."""
        self._traveller.move_to(moment)


@contextmanager
def standing(integration: Integration) -> Iterator[Clock]:
    """Stop time at the first second of 2026."""
    with time_machine.travel(MOMENT, tick=False) as traveller:
        integration.schedule.follow = traveller.shift
        yield Clock(integration, traveller)
