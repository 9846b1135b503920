"""Tasks that wait for their time, which passes when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from devkit.testing.results import Queued


class Schedule:
    """Holds queued tasks by the second they come due; `now` are the seconds that have passed since the test began.

    `follow` gets the seconds of each step, so that a clock can go along.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[tuple[float, Queued]] = []
        self.follow: Callable[[float], None] = lambda seconds: None

    def add(self, queued: Queued, delay: float) -> None:
        """Let a task wait."""
        self.waiting.append((self.now + delay, queued))
        self.waiting.sort(key=lambda entry: entry[0])

    def pass_by(self, seconds: float) -> Iterator[Queued]:
        """Let time pass; gives each task at the moment it comes due, those that are queued meanwhile too."""
        end = self.now + seconds
        while self.waiting and self.waiting[0][0] <= end:
            due, queued = self.waiting.pop(0)
            self._move(max(due, self.now))
            yield queued
        self._move(end)

    def _move(self, to: float) -> None:
        self.follow(to - self.now)
        self.now = to
