"""Which calls are written into the event log, and which are only counted: successful renders above a rate."""

from __future__ import annotations

import threading
import time
from collections import Counter

from runtime.contract.invocation import Outcome, Trace
from runtime.dispatch import metrics
from runtime.dispatch.followers import Followers
from runtime.dispatch.planning import Plan

SLOW = 0.5
"""Seconds until the answer from which on a render is always written down."""
MAX_COUNTED = 10_000
"""Places whose counts wait for the next render that is written; beyond, only `/metrics` knows them."""
WARNINGS = ("warn", "error")

Place = tuple[str, str | None]
"""An integration and an installation of it."""


class Thinning:
    """Decides over renders; safe to use from many threads.

    Of an integration the first successes of every second are written, so many in each process. Written whole are also
    those that failed, were slow, warned, went to a developer's machine, or have somebody who follows.
    """

    def __init__(self, followers: Followers, each_second: int, *, everything: bool = False) -> None:
        """Take how many successes are written each second; `everything` is for the host of an author."""
        self._followers, self._each_second, self._everything = followers, each_second, everything
        self._second = 0
        self._written: Counter[str] = Counter()  # by integration, in this second
        self._counted: dict[Place, int] = {}
        self._lock = threading.Lock()

    def skips(self, plan: Plan, outcome: Outcome, trace: Trace, seconds: float) -> bool:
        """Tell whether a render is not written, and count it then."""
        if self._everything or plan.tunnel_url is not None or noteworthy(outcome, trace, seconds):
            return False
        if self._followers.follows(plan.integration_id):
            return False
        second = int(time.monotonic())
        with self._lock:
            if second != self._second:
                self._second = second
                self._written.clear()
            if self._written[plan.integration_id] < self._each_second:
                self._written[plan.integration_id] += 1
                return False
            place = (plan.integration_id, plan.installation_id)
            if place in self._counted or len(self._counted) < MAX_COUNTED:
                self._counted[place] = self._counted.get(place, 0) + 1
        metrics.call_unrecorded("ui_render")
        return True

    def counted(self, plan: Plan) -> int:
        """Give how many renders of an installation were only counted since the last that was written, and forget it."""
        if not self._counted:
            return 0
        with self._lock:
            return self._counted.pop((plan.integration_id, plan.installation_id), 0)


def noteworthy(outcome: Outcome, trace: Trace, seconds: float) -> bool:
    """Tell whether a call failed, was slow or warned: its author will want to see all of it."""
    return (
        outcome.status >= 400
        or seconds >= SLOW
        or outcome.failure is not None
        or trace.failure is not None
        or trace.fault is not None
        or (bool(trace.logs) and any(line.level in WARNINGS for line in trace.logs))
        or (
            bool(trace.subrequests)
            and any(subrequest.refused or subrequest.status is None for subrequest in trace.subrequests)
        )
    )
