"""What is made of rows and kept in memory, with the epochs it rests on.

What is kept must never claim newer epochs than the rows it was made of: it would be held for good when it is over. So
rows and epochs are read in one snapshot: SQLite gives one to every transaction, PostgreSQL to a transaction that asks
for REPEATABLE READ (by itself it looks anew with each statement). Then the epochs may be read last, when it is known
whose they are, and a change that is committed in between is in neither. That the epochs are older than the present
costs no more than making the value again.

What it rests on is not said by whoever makes a value but collected while it is made: every row that is loaded names the
owners of its epochs, and the actor who looks adds those that decide over what they see (`runtime/store/rows.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import MetaData, event
from sqlalchemy.orm import Session, sessionmaker

from runtime.store import epochs
from runtime.store.epoch_prefetch import EpochPrefetch
from runtime.store.epoch_rules import GLOBAL, EpochRules, owner_named, owners
from runtime.store.fair_eviction import FairEviction, Parts
from runtime.store.single_flight import SingleFlight

V = TypeVar("V")
Epochs = Mapping[str, int]
"""Owner -> counter."""
RECORD = "record of what is read"
PATIENCE = 1.0
"""Seconds that a thread waits for another one to make what both need."""


class Record:
    """Collects on what it rests what is read in a session."""

    def __init__(self, session: Session, tables: MetaData) -> None:
        self.session = session
        self._tables = tables
        self._rows: list[Any] = []
        self._seen: list[Any] = []
        self._owners = {GLOBAL}
        self._lasting = True
        session.info[RECORD] = self

    def loaded(self, row: Any) -> None:
        """Note a row; of one whose table moves no epoch nothing can be kept."""
        self._rows.append(row)
        if row.epoch_rules is None:
            self._lasting = False

    def looked(self, owners_: Collection[str], rows: Iterable[Any]) -> None:
        """Note who looked for rows, by what decides over what they see, and the rows they saw; None for a missing one.

        What is missing belongs to nobody whose epoch would move when it comes: nothing made without it can be kept.
        """
        self._owners.update(owners_)
        for row in rows:
            if row is None:
                self._lasting = False
            elif owners_:
                self._seen.append(row)

    def listed(self, owners_: Collection[str]) -> None:
        """Note who looked for all there is; what an actor does not see yet is missing, as above."""
        if owners_:
            self._lasting = False

    def epochs(self) -> Epochs | None:
        """Give the epochs that what was read rests on, as they were when it was read; None where it cannot be kept."""
        if not self._lasting:
            return None
        named = [owner_named(row, of) for row in self._rows for of in _rules_of(row).needs]
        named += [owner_named(row, of) for row in self._seen for of in _rules_of(row).moves]
        self._owners |= owners(self.session, self._tables, named)
        return epochs.read(self.session.connection(), self._owners)


def _rules_of(row: Any) -> EpochRules:
    rules: EpochRules = row.epoch_rules
    return rules


def watch_reading(sessions: sessionmaker[Session]) -> None:
    """Have the sessions that are recorded tell of every row they load."""
    event.listen(sessions, "loaded_as_persistent", _on_load)


def _on_load(session: Session, row: Any) -> None:
    session.info[RECORD].loaded(row)


def record_of(session: Session) -> Record | None:
    """Give the record of a session, where what it reads may be kept."""
    record: Record | None = session.info.get(RECORD)
    return record


class Basis:
    """What a request stands on: epochs as they were read since it began, and those of all kept values it used.

    It is made when a request begins and goes with it: what is held against it is as new as the beginning. What outlives
    a request begins anew with each look.
    """

    def __init__(self, ask: Callable[[Collection[str]], Epochs], prefetch: EpochPrefetch) -> None:
        """Take what reads epochs; `prefetch` remembers, for all requests, what those that ask alike ask for next."""
        self._ask, self._prefetch = ask, prefetch
        self._read: dict[str, int] = {}
        self._first: frozenset[str] | None = None
        self._used: dict[str, int] | None = {}

    @property
    def used(self) -> Epochs | None:
        """The epochs that whatever is made of the values used so far rests on; None where it cannot be kept."""
        return None if self._used is None else dict(self._used)

    def holds(self, epochs_: Epochs | None) -> bool:
        """Tell whether what rests on these epochs still held when the request began, or later."""
        if epochs_ is None:
            return False
        read = self._read
        for owner, n in epochs_.items():
            if owner not in read:
                self._look(epochs_.keys() - read.keys())
            # Newer than what this request read is what another one made meanwhile.
            if n < read[owner]:
                return False
        return True

    def use(self, epochs_: Epochs | None) -> None:
        """Note what a value rests on that this request uses; of two readings the older one counts."""
        if epochs_ is None or self._used is None:
            self._used = None
            return
        used = self._used
        for owner, n in epochs_.items():
            if used.get(owner, n) >= n:
                used[owner] = n

    def _look(self, missing: set[str]) -> None:
        """Ask for epochs; requests that begin alike go on alike, so what is needed next is asked for at once."""
        if self._first is None:
            self._first = frozenset(missing)
            missing |= self._prefetch.next(self._first)
        else:
            self._prefetch.note(self._first, missing, set(self._read))
        known = self._ask(missing)
        self._read |= {owner: known[owner] for owner in missing}


@dataclass(frozen=True, slots=True)
class _Held(Generic[V]):
    value: V
    epochs: Epochs
    owner: str


class Reader(Protocol):
    """What gives sessions that are recorded: a `Database`."""

    def waiting(self) -> AbstractContextManager[object]:
        """Give what a thread enters that waits for another one."""

    def reading(self) -> AbstractContextManager[Record]:
        """Open a session whose rows and epochs are of one moment."""


class EpochCache(Generic[V]):
    """Values that hold while the epochs they rest on stand still; a bounded memory, safe between threads.

    `most` values are kept, and together at most `heaviest` bytes, or a single one. `owner` says of a key and its value
    whose part of the memory they take: whoever takes most loses first. `weigh` names the parts of a value with about
    how many bytes each has: a part that several values share is counted once.
    """

    def __init__(
        self,
        database: Reader,
        owner: Callable[[Any, V], str],
        most: int = 10_000,
        *,
        heaviest: int = 0,
        weigh: Callable[[V], Parts] = lambda value: {},
    ) -> None:
        self._database, self._owner, self._most, self._weigh = database, owner, most, weigh
        self._kept: dict[Hashable, _Held[V]] = {}
        self._eviction = FairEviction(most, heaviest)
        self._making = SingleFlight()
        # Of what was made last and could not be kept. Not the keys, which are as long as what was sent; two that have
        # the same number cost no more than a wait that was not needed, or was.
        self._unkept: set[int] = set()
        self._lock = threading.Lock()

    def last(self, key: Hashable) -> V | None:
        """Give what is kept under a key, though it may hold no longer."""
        held = self._kept.get(key)
        return held.value if held is not None else None

    def get(
        self, key: Hashable, basis: Basis, make: Callable[[Session], V], good: Callable[[V], bool] | None = None
    ) -> V:
        """Give the value under a key, or have it made in a session and keep it; `good` tells of one if it still is.

        `make` reads all it needs in that session: what comes from elsewhere is only what the key says. Raises what
        `make` raises. None is never kept.
        """
        held = self._holding(key, basis, good)
        if held is None:
            if hash(key) in self._unkept:  # whoever waited for another one would find nothing
                return self._made(key, basis, make)
            # After a change all who come need the same: they find what the first of them makes.
            with self._making.turn(key, PATIENCE, self._database.waiting):
                held = self._holding(key, basis, good)
                if held is None:
                    return self._made(key, basis, make)
        basis.use(held.epochs)
        return held.value

    def _holding(self, key: Hashable, basis: Basis, good: Callable[[V], bool] | None) -> _Held[V] | None:
        held = self._kept.get(key)
        if held is not None and basis.holds(held.epochs) and (good is None or good(held.value)):
            return held
        return None

    def _made(self, key: Hashable, basis: Basis, make: Callable[[Session], V]) -> V:
        rests_on: Epochs | None = None
        try:
            with self._database.reading() as record:
                value = make(record.session)
                rests_on = record.epochs() if value is not None else None
        finally:
            basis.use(rests_on)  # also where nothing was there: whoever goes on without it must look again
            self._note(key, kept=rests_on is not None)
        if rests_on is not None:
            self._keep(key, _Held(value, rests_on, self._owner(key, value)), self._weigh(value))
        return value

    def _note(self, key: Hashable, *, kept: bool) -> None:
        with self._lock:
            if kept:
                self._unkept.discard(hash(key))
                return
            if len(self._unkept) >= self._most:
                self._unkept.clear()
            self._unkept.add(hash(key))

    def _keep(self, key: Hashable, held: _Held[V], parts: Parts) -> None:
        with self._lock:
            if key in self._kept:
                self._forget(key)
            self._kept[key] = held
            self._eviction.add(key, held.owner, parts)
            while (gone := self._eviction.too_much()) is not None:
                self._forget(gone)

    def _forget(self, key: Hashable) -> None:
        self._eviction.remove(key, self._kept.pop(key).owner)
