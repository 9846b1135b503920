"""Sampling of the event log: successful renders above a rate are only counted."""

from __future__ import annotations

import threading
import time
from collections import Counter

from runtime.contract.invocation import Outcome, Trace
from runtime.dispatch import metrics
from runtime.dispatch.followers import Followers
from runtime.dispatch.planning import Plan

SLOW = 0.5
"""Seconds until the answer, from which a render is always recorded."""
MAX_COUNTED = 10_000
"""Installations whose counts wait for the next recorded render; those beyond are only in `/metrics`."""
WARNINGS = ("warn", "error")

Place = tuple[str, str | None]
"""An integration and an installation of it."""


class Thinning:
    """Samples renders; safe to use from many threads.

    The first successes of an integration in every second are recorded, a fixed number in each process. Renders that
    failed, were slow, logged a warning, went to a developer's machine, or are followed, are always recorded.
    """

    def __init__(self, followers: Followers, each_second: int, *, everything: bool = False) -> None:
        """Take the number of successes recorded per second; `everything` is for the host of an author."""
        self._followers, self._each_second, self._everything = followers, each_second, everything
        self._second = 0
        self._written: Counter[str] = Counter()  # by integration, in this second
        self._counted: dict[Place, int] = {}
        self._lock = threading.Lock()

    def skips(self, plan: Plan, outcome: Outcome, trace: Trace, seconds: float) -> bool:
        """Return whether a render is not recorded, and count it if so."""
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
        """Return how many renders of an installation were only counted since the last recorded one, and reset it."""
        if not self._counted:
            return 0
        with self._lock:
            return self._counted.pop((plan.integration_id, plan.installation_id), 0)


def noteworthy(outcome: Outcome, trace: Trace, seconds: float) -> bool:
    """Return whether a call failed, was slow or logged a warning, so that its author will want to see it."""
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
