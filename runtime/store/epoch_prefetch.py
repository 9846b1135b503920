"""Which epochs requests that begin alike ask for next, so that they are asked for at once."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping

from runtime.store.epoch_rules import FACE, GLOBAL
from runtime.store.fair_eviction import FairEviction

MOST = 10_000
"""First questions that are remembered."""
MOST_NEXT = 100
"""Owners that are asked for at once because others did; also how many a first question may name."""
HEAVIEST = 16_000_000
BYTES_OF_ONE, BYTES_OF_OWNER = 600, 200
"""About how many bytes a first question takes, and each owner that it names or that comes next."""
NOBODY: frozenset[str] = frozenset()


class EpochPrefetch:
    """Remembers what was asked after each first question, within a bounded memory; safe between threads.

    A first question is the first set of owners whose epochs a request asks for. Each entry counts for one of the owners
    it names; the one with the most entries loses its oldest first.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._kept: dict[frozenset[str], frozenset[str]] = {}
        self._eviction = FairEviction(MOST, HEAVIEST)
        self._lock = threading.Lock()

    def next(self, first: frozenset[str]) -> frozenset[str]:
        """Tell what those who asked for `first` asked for then, as far as it is known."""
        return self._kept.get(first, NOBODY)

    def note(self, first: frozenset[str], missing: set[str], asked: set[str]) -> None:
        """Remember that whoever asked for `first` needed what was `missing`, having asked for all that was `asked`.

        Where that has grown too long, as with somebody who does very different things, it starts with what was missing.
        """
        following = frozenset(missing | asked) - first
        if len(following) > MOST_NEXT:
            following = frozenset(missing)
        if max(len(first), len(following)) > MOST_NEXT or self._kept.get(first) == following:
            return
        with self._lock:
            if first in self._kept:
                self._forget(first)
            self._kept[first] = following
            self._eviction.add(first, _owner(first), _parts(first, following))
            while (gone := self._eviction.too_much()) is not None:
                self._forget(gone)

    def _forget(self, first: Hashable) -> None:
        assert isinstance(first, frozenset)
        del self._kept[first]
        self._eviction.remove(first, _owner(first))


def _owner(first: frozenset[str]) -> str:
    return min((owner for owner in first if owner != GLOBAL and not owner.startswith(FACE)), default=GLOBAL)


def _parts(first: frozenset[str], following: frozenset[str]) -> Mapping[Hashable, int]:
    return {first: BYTES_OF_ONE + BYTES_OF_OWNER * (len(first) + len(following))}
