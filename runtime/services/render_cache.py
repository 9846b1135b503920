"""Renders kept as long as their script allowed with `max-age`, found by everything the script could see."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from runtime.engines.interpreter_turns import Waiting
from runtime.store.fair_memory import FairMemory
from runtime.store.single_flight import SingleFlight

MAX_AGE = re.compile(r"max-age=(\d{1,9})")
FORBIDDING = frozenset({"no-store", "private", "no-cache"})
WORD = re.compile(r"[\w-]+")
OVERHEAD = 500
MAX_COMPONENTS = 10_000


@dataclass(frozen=True, slots=True)
class CachedRender:
    """An answer; `made` and `expires` are monotonic seconds, `took` milliseconds the script needed just now."""

    body: bytes
    etag: str
    cache_control: str
    policy: str | None
    made: float
    expires: float
    took: float | None = None

    @property
    def fresh(self) -> bool:
        """Return whether the script's `max-age` has not passed."""
        return time.monotonic() < self.expires

    @property
    def age(self) -> int:
        """Seconds since the script answered."""
        return int(time.monotonic() - self.made)


LARGEST = 16
"""No answer takes more than this part of the memory."""


class RenderCache:
    """A bounded memory of renders, of which each organization has its part."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._asked: set[Hashable] = set()
        self._kept: FairMemory[tuple[str, str], CachedRender] = FairMemory(most_bytes)
        self._asking = SingleFlight()
        self._lock = threading.Lock()

    def asking(
        self,
        fingerprint: str,
        fields: dict[str, Any],
        seconds: float,
        place: Callable[[], AbstractContextManager[None]],
    ) -> AbstractContextManager[None]:
        """Keep others who ask for the same waiting, at most some seconds; mostly it is kept when they go on.

        Whoever waits holds a `place` meanwhile; what entering it raises is raised.
        """

        @contextmanager
        def waiting() -> Iterator[None]:
            with place(), Waiting():
                yield

        return self._asking.turn((fingerprint, _canonical(fields)), seconds, waiting)

    def knows(self, component: Hashable) -> bool:
        """Return whether a component ever asked to be kept: of one that did not, nothing is to be recalled."""
        return component in self._asked

    def recall(self, component: Hashable, fingerprint: str, fields: dict[str, Any]) -> CachedRender | None:
        """Return the fresh answer to an event that showed the script exactly this.

        `component` names version and component.
        """
        if not self.knows(component):
            return None
        key = (fingerprint, _canonical(fields))
        kept = self._kept.use(key)
        if kept is not None and not kept.fresh:
            self._kept.drop(key)
            return None
        return kept

    def keep(
        self, component: Hashable, fingerprint: str, fields: dict[str, Any], render: CachedRender, owner: str = ""
    ) -> None:
        """Keep an answer for an organization, and drop others if there is no room; a very large one is not kept."""
        key = (fingerprint, _canonical(fields))
        size = len(render.body) + len(key[1]) + OVERHEAD
        if size > self._most // LARGEST:
            return
        with self._lock:
            if len(self._asked) >= MAX_COMPONENTS:
                self._asked.clear()
            self._asked.add(component)
        self._kept.keep(key, replace(render, took=None), owner, size)


def _canonical(fields: dict[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def max_age(cache_control: str | None) -> int:
    """Read the seconds an answer may be kept; 0 where the script did not ask for it, or forbade it."""
    said = (cache_control or "").lower()
    # Wherever one of these words stands, also misspelled as `no-store; …` or with fields as in `private="set-cookie"`.
    if not FORBIDDING.isdisjoint(WORD.findall(said)):
        return 0
    found = next((found for part in said.split(",") if (found := MAX_AGE.fullmatch(part.strip()))), None)
    return int(found.group(1)) if found else 0
