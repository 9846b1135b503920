"""Sampling of the event log: what is above a rate is only counted, successful renders first."""

from __future__ import annotations

import threading
import time
from collections import Counter

from runtime.contract.invocation import Outcome, Trace
from runtime.dispatch.followers import Followers
from runtime.dispatch.planning import Plan
from runtime.telemetry import metrics

SLOW = 0.5
"""Seconds until the answer, from which a render is always recorded."""
OF_AN_ORGANIZATION = 200
"""Calls of an organization recorded per second in each process, whatever they are.

Everybody's writes wait for each other: of one whose calls fail thousands of times a second, each of another
organization's waited for half a second.
"""
OF_WHAT_IS_LEFT = 3
"""How many times what the organization has left one of its integrations may have: 150 if no other is called.

Whoever knows a public endpoint can have as many calls of it recorded as they like. Even where several are called like
that, some are left for the first calls of another integration, whose misuse would be hidden otherwise.
"""
MAX_COUNTED = 10_000
"""Installations whose counts wait for the next recorded call; those beyond are only in `/metrics`."""
WARNINGS = ("warn", "error")

Place = tuple[str, str | None]
"""An integration and an installation of it."""


class Sampling:
    """Samples calls that somebody waited for; safe to use from many threads.

    The first successful renders of an integration in every second are recorded, a fixed number in each process. Renders
    that failed, were slow, logged a warning, went to a developer's machine, or are followed, and all other calls, are
    recorded as long as the organization has no more than `OF_AN_ORGANIZATION` in the second, and the integration no
    more than its part of them.
    """

    def __init__(self, followers: Followers, each_second: int, *, everything: bool = False) -> None:
        """Take the number of successes recorded per second; `everything` is for the host of an author."""
        self._followers, self._each_second, self._everything = followers, each_second, everything
        self._second = 0
        self._successes: Counter[str] = Counter()  # recorded in this second, by integration
        self._recorded: Counter[str] = Counter()  # in this second, by organization
        self._recorded_of: Counter[tuple[str, str]] = Counter()  # the same, by organization and integration
        self._counted: dict[Place, int] = {}
        self._lock = threading.Lock()

    def skips(self, plan: Plan, kind: str, *, sampled: bool) -> bool:
        """Return whether a call is not recorded, and count it if so; `sampled` is for a success like all others."""
        if self._everything:
            return False
        sampled = sampled and plan.tunnel_url is None and not self._followers.follows(plan.integration_id)
        second = int(time.monotonic())
        with self._lock:
            if second != self._second:
                self._second = second
                self._successes.clear()
                self._recorded.clear()
                self._recorded_of.clear()
            if self._has_room(plan, sampled=sampled):
                return False
            place = (plan.integration_id, plan.installation_id)
            if place in self._counted or len(self._counted) < MAX_COUNTED:
                self._counted[place] = self._counted.get(place, 0) + 1
        metrics.call_unrecorded(kind)
        return True

    def _has_room(self, plan: Plan, *, sampled: bool) -> bool:
        """Tell whether one more is recorded in this second, and count it as recorded; the lock is held."""
        part = (plan.organization_id, plan.integration_id)
        left, own = OF_AN_ORGANIZATION - self._recorded[plan.organization_id], self._recorded_of[part]
        if left <= 0 or own >= OF_WHAT_IS_LEFT * left:
            return False
        if sampled:
            if self._successes[plan.integration_id] >= self._each_second:
                return False
            self._successes[plan.integration_id] += 1
        self._recorded[plan.organization_id] += 1
        self._recorded_of[part] += 1
        return True

    def counted(self, plan: Plan) -> int:
        """Return how many calls of an installation were only counted since the last recorded one, and reset it."""
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
