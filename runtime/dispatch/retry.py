"""Whether and when an event is retried: pure decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.contract.event_descriptions import UNHANDLED

JITTER = 0.25


@dataclass(frozen=True, slots=True)
class Delivered:
    """The script accepted the event, or has no handler for it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The script failed; the event is retried after `delay` seconds."""

    delay: float


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The script failed, and the event is not retried."""


Verdict = Delivered | Failed | GivenUp


def judge(status: int, attempt: int, *, repeats: bool, schedule: Sequence[float], chance: float) -> Verdict:
    """Decide what follows one attempt, counted from 1.

    2xx, 3xx and 406 (no handler) are success. 408, 429 and 5xx are retried as often as the schedule has delays, each
    up to a quarter longer or shorter; `chance` in 0..1 picks the jitter. Other answers would not change by retrying
    (docs/contract/scripts.md, "Errors of a script").
    """
    if status < 400 or status == UNHANDLED:
        return Delivered()
    if not repeats or not (status >= 500 or status in (408, 429)) or attempt > len(schedule):
        return GivenUp()
    return Failed(schedule[attempt - 1] * (1 + JITTER * (2 * chance - 1)))
