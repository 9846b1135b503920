"""The events that this process has claimed and not yet stored: how many of whom, and how long they are its own."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from runtime.store.claims import Claimed


@dataclass(slots=True, eq=False)
class Flight:
    """A claimed event with its organization; `leased_until` is by this process's clock, in monotonic seconds."""

    event: Claimed
    organization_id: str
    leased_until: float


class Room(NamedTuple):
    """How many more events may be claimed, and the integrations and organizations of which none may be."""

    left: int
    full_integrations: list[str]
    full_organizations: list[str]


class InFlight:
    """Counts claimed events by integration and organization; for threads.

    A flight counts from `add` to `remove`, each by the organization it was added with. The same event may be in flight
    twice for a moment: it can be claimed again as soon as it was given back in the database, before `remove`.
    """

    def __init__(self, most: int, most_of_integration: int) -> None:
        self._most, self._most_of_integration = most, most_of_integration
        self._flights: set[Flight] = set()
        self._of_integration: Counter[str] = Counter()
        self._of_organization: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._flights)

    def room(self) -> Room:
        """Return for what there is room: the backlog of one organization never takes all that is left."""
        with self._lock:
            left = self._most - len(self._flights)
            integrations = [one for one, count in self._of_integration.items() if count >= self._most_of_integration]
            organizations = [one for one, count in self._of_organization.items() if count >= left]
        return Room(left, integrations, organizations)

    def add(self, flights: Sequence[Flight]) -> None:
        """Count claimed events."""
        with self._lock:
            self._flights.update(flights)
            self._of_integration.update(flight.event.integration_id for flight in flights)
            self._of_organization.update(flight.organization_id for flight in flights)

    def remove(self, flights: Sequence[Flight]) -> None:
        """Count events no longer whose end is stored, or which were given back."""
        with self._lock:
            for flight in flights:
                if flight in self._flights:
                    self._flights.remove(flight)
                    _count_down(self._of_integration, flight.event.integration_id)
                    _count_down(self._of_organization, flight.organization_id)

    def extend(self, seqs: Collection[int], until: float) -> None:
        """Note that the leases of these events (`seq`) were extended."""
        with self._lock:
            for flight in self._flights:
                if flight.event.seq in seqs:
                    flight.leased_until = until


def _count_down(counts: Counter[str], key: str) -> None:
    counts[key] -= 1
    if counts[key] <= 0:
        del counts[key]
