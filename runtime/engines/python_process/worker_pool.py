"""The workers of an engine by version and tenant: who gets one, who waits, which ones go."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from runtime.engines.calling import PoolBusy
from runtime.engines.python_process.worker import Worker
from runtime.engines.shares import Shares, eviction_order
from runtime.engines.wait_queue import Waiter, WaitQueue

# Version, tenant, memory limit in bytes; without a tenant for a worker that has loaded its script and served nobody.
Key = tuple[str, str | None, int]
Owner = tuple[str, str]  # an organization and its integration
_TRUST_SECONDS = 0.05  # a worker idle for longer is asked whether it still lives before it gets a call
_IDLE_CPU_SECONDS = 0.5  # what threads a script left behind may use between two calls


class _Group:
    """The workers of one key."""

    __slots__ = ("idle", "retired", "size", "waiting")

    def __init__(self) -> None:
        self.idle: deque[Worker] = deque()
        self.size = 0
        self.waiting = 0
        self.retired = 0  # how often its version was: what was being started meanwhile serves one call


class _Wanted(NamedTuple):
    """What a caller waits for."""

    key: Key
    group: _Group
    owner: Owner


class WorkerPool:
    """Keeps workers; safe to use from many threads."""

    def __init__(self, new_worker: Callable[[], Worker], *, per_key: int, total: int, idle_seconds: float) -> None:
        self._new_worker = new_worker
        self._per_key = per_key
        self._total = total
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._groups: dict[Key, _Group] = {}
        self._key_of: dict[Worker, Key] = {}
        self._busy: set[Worker] = set()
        self._resting: dict[Worker, None] = {}  # idle workers of all groups, the one idle longest first
        self._shares = Shares(total)  # of the workers that are busy
        self._owners: dict[Worker, Owner] = {}  # of the workers that are busy, whose call it is
        self._places = 0  # workers there are or are being started
        self._line = WaitQueue[_Wanted](self._lock)
        self._closed = False

    def take(self, key: Key, owner: Owner, deadline: float) -> tuple[Worker, bool]:
        """Return a worker for a call of an organization, and whether it is new.

        Raises `PoolBusy` and whatever making one raises.
        """
        evicted: Worker | None = None
        with self._lock:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = _Group()
            waiter = Waiter(_Wanted(key, group, owner))
            while True:
                if self._closed:
                    self._discard_empty(key, group)
                    raise PoolBusy
                if not self._may_go_on(waiter.wants):
                    self._wait(waiter, deadline)
                    continue
                if group.idle:
                    worker = group.idle.pop()
                    del self._resting[worker]
                    if time.monotonic() - worker.idle_since > _TRUST_SECONDS and not worker.alive():
                        self._forget(worker)
                        worker.close()
                        group = self._groups.setdefault(key, group)
                        continue
                    self._lend(worker, owner)
                    self._went_on(waiter)
                    return worker, False
                if group.size < self._per_key and (ready := self._hand_over(key, group)) is not None:
                    self._lend(ready, owner)
                    self._went_on(waiter)
                    return ready, False
                full = self._places >= self._total
                if group.size < self._per_key and (not full or self._resting):
                    if full:
                        evicted = eviction_order(self._resting, lambda worker: worker.used_by, owner[0])[0]
                        self._remove_idle(evicted)
                    group.size += 1
                    self._places += 1
                    self._shares.enter(*owner)
                    retired = group.retired
                    self._went_on(waiter)
                    break
        if evicted is not None:
            evicted.close()
        try:
            worker = self._new_worker()
        except BaseException:
            with self._lock:
                self._shares.leave(*owner)
                self._free_place(key)
            raise
        with self._lock:
            worker.last_call = group.retired != retired
            self._key_of[worker] = key
            self._busy.add(worker)
            self._owners[worker] = owner
            worker.used_by = owner[0]
        return worker, True

    def give(self, worker: Worker) -> None:
        """Take a worker back after a call."""
        now = time.monotonic()
        with self._lock:
            self._unlend(worker)
            if not (worker.last_call or self._closed):
                group = self._groups[self._key_of[worker]]
                worker.idle_since = now
                worker.rest()
                group.idle.append(worker)
                self._resting[worker] = None
                self._wake()
                return
            self._forget(worker)
        worker.close()

    def drop(self, worker: Worker) -> None:
        """End a worker that is of no more use."""
        worker.close()
        with self._lock:
            self._unlend(worker)
            self._forget(worker)

    def lend(self, worker: Worker) -> None:
        """Have a worker watched that belongs to no key."""
        with self._lock:
            self._busy.add(worker)

    def keep(self, worker: Worker, key: Key, owner: str) -> None:
        """Take back a lent worker that loaded a script for an organization; the first call of any tenant gets it."""
        with self._lock:
            self._busy.discard(worker)
            kept = not self._closed and self._places < self._total and key not in self._groups
            if kept:
                group = self._groups[key] = _Group()
                group.size = 1
                self._places += 1
                self._key_of[worker] = key
                worker.idle_since = time.monotonic()
                worker.used_by = owner
                worker.rest()
                group.idle.append(worker)
                self._resting[worker] = None
        if not kept:
            worker.close()

    def in_flight(self) -> list[Worker]:
        """Return the workers that are busy."""
        with self._lock:
            return list(self._busy)

    def size(self) -> int:
        """Return how many workers there are."""
        with self._lock:
            return self._places

    def retire(self, version: str) -> None:
        """End the idle workers of a version, and the busy ones after their call."""
        with self._lock:
            leaving = [worker for worker in self._resting if self._key_of[worker][0] == version]
            for worker in leaving:
                self._remove_idle(worker)
            for (started, _, _), group in self._groups.items():
                group.retired += started == version
            for worker in self._busy:
                key = self._key_of.get(worker)
                if key is not None and key[0] == version:
                    worker.last_call = True
        for worker in leaving:
            worker.close()

    def tidy(self) -> None:
        """End workers that were idle too long, or that use the processor without a call."""
        now = time.monotonic()
        leaving = []
        with self._lock:
            for worker in list(self._resting):
                memory = self._key_of[worker][2]
                if now - worker.idle_since > self._idle_seconds or worker.active_while_idle(_IDLE_CPU_SECONDS, memory):
                    self._remove_idle(worker)
                    leaving.append(worker)
        for worker in leaving:
            worker.close()

    def close(self) -> None:
        """Take no more calls, wait for those in flight, end all workers."""
        with self._lock:
            self._closed = True
            self._line.wake_all()
        while self._in_use():
            time.sleep(0.01)  # the watcher ends every call at its limit, so this ends too
        with self._lock:
            leaving = list(self._resting)
            for worker in leaving:
                self._remove_idle(worker)
        for worker in leaving:
            worker.close()

    def _hand_over(self, key: Key, group: _Group) -> Worker | None:
        """Return a tenant the worker of its version that has served nobody, if there is one; the lock is held."""
        unused = (key[0], None, key[2])
        found = self._groups.get(unused)
        if found is None or not found.idle:
            return None
        worker = found.idle.pop()
        del self._resting[worker], self._groups[unused]
        self._key_of[worker] = key
        group.size += 1
        if not worker.alive():
            self._forget(worker)
            worker.close()
            self._groups.setdefault(key, group)
            return None
        return worker

    def _lend(self, worker: Worker, owner: Owner) -> None:
        """Note whose call a worker serves; the lock is held, and the owner may."""
        self._shares.enter(*owner)
        self._owners[worker] = owner
        self._busy.add(worker)
        worker.used_by = owner[0]

    def _unlend(self, worker: Worker) -> None:
        """Note that a worker serves no call; the lock is held."""
        self._busy.discard(worker)
        owner = self._owners.pop(worker, None)
        if owner is not None:
            self._shares.leave(*owner)

    def _in_use(self) -> bool:
        with self._lock:
            return bool(self._busy) or self._places > len(self._resting)

    def _wait(self, waiter: Waiter[_Wanted], deadline: float) -> None:
        """Wait until there may be a worker; raises `PoolBusy` at the deadline. The lock is held."""
        group = waiter.wants.group
        group.waiting += 1
        try:
            came = self._line.wait(waiter, deadline)
        finally:
            group.waiting -= 1
        if not came:
            self._discard_empty(waiter.wants.key, group)
            self._wake()
            raise PoolBusy

    def _may_go_on(self, wanted: _Wanted) -> bool:
        """Return whether there is a worker for a caller, or the place for one; the lock is held."""
        if not self._shares.open_to(*wanted.owner):
            return False
        if wanted.group.idle:
            return True
        if wanted.group.size >= self._per_key:
            return False
        unused = self._groups.get((wanted.key[0], None, wanted.key[2]))
        return self._places < self._total or bool(self._resting) or (unused is not None and bool(unused.idle))

    def _went_on(self, waiter: Waiter[_Wanted]) -> None:
        """Wake the next of those who wait, if this one has; the lock is held."""
        if waiter.again:
            self._wake()

    def _wake(self) -> None:
        """Wake the first who may go on; the lock is held."""
        crowded: set[Owner] = set()  # an organization may have many in the line

        def may(wanted: _Wanted) -> bool:
            if wanted.owner in crowded:
                return False
            if not self._shares.open_to(*wanted.owner):
                crowded.add(wanted.owner)
                return False
            return self._may_go_on(wanted)

        self._line.wake(may)

    def _discard_empty(self, key: Key, group: _Group) -> None:
        if group.size == group.waiting == 0:
            self._groups.pop(key, None)

    def _forget(self, worker: Worker) -> None:
        """Free the place of a worker; the lock is held."""
        key = self._key_of.pop(worker, None)
        if key is not None:
            self._free_place(key)

    def _free_place(self, key: Key) -> None:
        group = self._groups[key]
        group.size -= 1
        self._places -= 1
        if group.size == group.waiting == 0:
            del self._groups[key]
        self._wake()

    def _remove_idle(self, worker: Worker) -> None:
        """Take an idle worker out of the pool; the lock is held, the caller closes it."""
        del self._resting[worker]
        self._groups[self._key_of[worker]].idle.remove(worker)
        self._forget(worker)
