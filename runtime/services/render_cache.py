"""Renders kept as long as their script allowed with `max-age`.

Two doors to the same answers: by everything the script could see (`recall`), and by the bytes of the request
(`shortcut`), which holds only while the epochs stand still that the answer rests on, and so needs no row at all.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from runtime.engines.interpreter_turns import WaitingForScript
from runtime.store.remembered import Basis, Epochs

MAX_AGE = re.compile(r"(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)", re.IGNORECASE)
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
        """Tell whether the script's `max-age` has not passed."""
        return time.monotonic() < self.expires

    @property
    def age(self) -> int:
        """Seconds since the script answered."""
        return int(time.monotonic() - self.made)


@dataclass(slots=True)
class _Turn:
    """The lock of who asks for an answer, and how many want it."""

    lock: threading.Lock
    wanted: int = 0


LARGEST = 16
"""No answer takes more than this part of the memory."""
LONGEST_SHORTCUT = 262_144
"""Bytes of an answer up to which the short way to it is worth its memory."""


class RenderCache:
    """A bounded memory of renders: of the organization that has most in it, the least recently used goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._size = 0
        self._short_size = 0
        self._size_of: Counter[str] = Counter()
        self._keys_of: dict[str, OrderedDict[tuple[str, str], None]] = {}
        self._owners: dict[tuple[str, str], str] = {}
        self._asked: set[Hashable] = set()
        self._kept: dict[tuple[str, str], CachedRender] = {}
        self._shortcuts: OrderedDict[Hashable, tuple[Epochs, float, CachedRender]] = OrderedDict()
        self._turns: dict[tuple[str, str], _Turn] = {}
        self._lock = threading.Lock()

    @contextmanager
    def asking(
        self,
        fingerprint: str,
        fields: dict[str, Any],
        seconds: float,
        place: Callable[[], AbstractContextManager[None]],
    ) -> Iterator[None]:
        """Keep others who ask for the same waiting, at most some seconds; mostly it is kept when they go on.

        Whoever waits holds a `place` meanwhile; what entering it raises is raised.
        """
        key = (fingerprint, _canonical(fields))
        with self._lock:
            turn = self._turns.setdefault(key, _Turn(threading.Lock()))
            turn.wanted += 1
        taken = turn.lock.acquire(blocking=False)
        try:
            if not taken:
                with place(), WaitingForScript():
                    taken = turn.lock.acquire(timeout=max(0.0, seconds))
            yield
        finally:
            if taken:
                turn.lock.release()
            with self._lock:
                turn.wanted -= 1
                if not turn.wanted:
                    del self._turns[key]

    def recall(self, component: Hashable, fingerprint: str, fields: dict[str, Any]) -> CachedRender | None:
        """Give the fresh answer to an event that showed the script exactly this.

        `component` names version and component: one that never asked to be kept costs nothing but this look.
        """
        if component not in self._asked:
            return None
        key = (fingerprint, _canonical(fields))
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            if not kept.fresh:
                self._drop(key)
                return None
            self._keys_of[self._owners[key]].move_to_end(key)
            return kept

    def keep(
        self, component: Hashable, fingerprint: str, fields: dict[str, Any], render: CachedRender, owner: str = ""
    ) -> None:
        """Keep an answer for an organization, and drop others if there is no room; a very large one is not kept."""
        key = (fingerprint, _canonical(fields))
        size = len(render.body) + len(key[1]) + OVERHEAD
        if size > self._most // LARGEST:
            return
        render = replace(render, took=None)
        with self._lock:
            if len(self._asked) >= MAX_COMPONENTS:
                self._asked.clear()
            self._asked.add(component)
            self._drop(key)
            self._kept[key] = render
            self._owners[key] = owner
            self._keys_of.setdefault(owner, OrderedDict())[key] = None
            self._size += size
            self._size_of[owner] += size
            while self._size > self._most:
                largest = max(self._size_of, key=self._size_of.__getitem__)
                self._drop(next(iter(self._keys_of[largest])))

    def shortcut(self, request: Hashable, basis: Basis) -> CachedRender | None:
        """Give the answer to exactly this request, sent with exactly this token, if nothing changed since."""
        found = self._shortcuts.get(request)
        if found is None:
            return None
        rests_on, token_expires, render = found
        if render.fresh and time.time() < token_expires and basis.holds(rests_on):
            return render
        with self._lock:
            self._forget(request)
        return None

    def keep_shortcut(self, request: Hashable, basis: Basis, token_expires: float, render: CachedRender) -> None:
        """Keep the way from a request to its answer, of which `basis` knows on what it rests.

        `token_expires` is in seconds since 1970.
        """
        rests_on = basis.used
        if rests_on is None or len(render.body) > LONGEST_SHORTCUT:
            return
        render = replace(render, took=None)
        with self._lock:
            self._forget(request)
            self._shortcuts[request] = (rests_on, token_expires, render)
            self._short_size += len(render.body)
            while len(self._shortcuts) > 4096 or self._short_size > self._most // 2:
                self._forget(next(iter(self._shortcuts)))

    def _forget(self, request: Hashable) -> None:
        gone = self._shortcuts.pop(request, None)
        if gone is not None:
            self._short_size -= len(gone[2].body)

    def _drop(self, key: tuple[str, str]) -> None:
        gone = self._kept.pop(key, None)
        if gone is None:
            return
        size = len(gone.body) + len(key[1]) + OVERHEAD
        owner = self._owners.pop(key)
        self._size -= size
        self._size_of[owner] -= size
        del self._keys_of[owner][key]
        if not self._keys_of[owner]:
            del self._keys_of[owner], self._size_of[owner]


def _canonical(fields: dict[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def max_age(cache_control: str | None) -> int:
    """Read the seconds an answer may be kept; 0 where the script did not ask for it, or forbade it."""
    if not cache_control or "no-store" in cache_control or "private" in cache_control or "no-cache" in cache_control:
        return 0
    found = MAX_AGE.search(cache_control)
    return int(found.group(1)) if found else 0
