"""The isolates of an engine by version: which one takes a call, which ones go."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import cast

from runtime.contract.invocation import Limits, LoadReport, Script
from runtime.engines.call_state import CallState
from runtime.engines.calling import PoolBusy, ProcessBroken
from runtime.engines.javascript.channels import Channel
from runtime.engines.javascript.isolate import Isolate
from runtime.engines.javascript.lending import Key, Lender
from runtime.engines.javascript.own_isolate import OwnIsolate
from runtime.engines.priority import LongCalls, Priority
from runtime.engines.processes import shown
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.shares import eviction_order
from runtime.engines.threads import run_beside

_log = logging.getLogger(__name__)

EVERYBODY = "*"  # the tenant where all installations of a version share an isolate
_IDLE_CPU_SECONDS = 0.5  # what a script may use between two calls
_ATTEMPTS = 3
_TURN_SECONDS = 0.1  # between two looks whether an isolate has become idle, which nobody reports
_PATIENCE_SECONDS = 5.0  # before another spare one is tried after one that did not start


class IsolatePool:
    """Keeps isolates; safe to use from many threads."""

    def __init__(
        self,
        start: Callable[[Limits], OwnIsolate],
        lender: Lender | None,
        *,
        total: int,
        idle_total: int,
        idle_seconds: float,
    ) -> None:
        """Take what starts an isolate, and what shares isolates with other serving processes, if there are any."""
        self._start = start
        self._lender = lender
        self._total = total
        self._idle_total = idle_total
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._loaded: dict[Key, Future[Isolate]] = {}
        self._running: set[Isolate] = set()  # all but the spare one
        self._leaving: set[Isolate] = set()
        self._spare: OwnIsolate | None = None
        self._refilling = False
        self._refill_after = 0.0
        self._fault: str | None = None  # why the last isolate could not be started
        self._long_calls = LongCalls()
        self._places = 0
        self._used_at = 0.0
        self._closed = False

    def load(self, script: Script, tenant: str | None, owner: str, limits: Limits) -> LoadReport:
        """Load a script in an isolate of its own, which stays for the first calls; raises `ScriptRefused` and more.

        Those are the calls of `tenant`, or without one of whichever tenant calls first.
        """
        isolate = self._new(limits, owner, time.monotonic() + limits.wall)
        try:
            report, state = isolate.load(script, limits)
        except BaseException:
            self._end(isolate)
            raise
        memory = shown(isolate.memory(), limits.memory)
        isolate.load_logs = list(state.trace.logs)
        future: Future[Isolate] = Future()
        future.set_result(isolate)
        key = (script.version, tenant, limits.memory)
        with self._lock:
            unavailable = self._closed or key in self._loaded
            if not unavailable:
                self._loaded[key] = future
        if unavailable:
            self._end(isolate)
        elif tenant is not None:
            self._try_lend(key, isolate)
        return replace(report, logs=tuple(state.trace.logs), memory=memory)

    def take(self, script: Script, tenant: str, owner: str, state: CallState) -> Channel:
        """Return a channel of the isolate of a script and a tenant, for a call of the organization `owner`.

        Raises `PoolBusy`, `ScriptRefused` and what starting one raises.
        """
        self._used_at = time.monotonic()
        for _ in range(_ATTEMPTS):
            isolate = self._isolate(script, tenant, owner, state)
            try:
                channel = isolate.take(owner, state.deadline)
            except ProcessBroken:  # it ended while it was idle, or between two calls, or lost its folder
                self._replace(isolate)
                continue
            if channel is None:
                raise PoolBusy
            isolate.used_by = owner
            with self._lock:
                load_logs, isolate.load_logs = isolate.load_logs, []
            state.trace.logs += load_logs
            return channel
        raise ProcessBroken("isolates end as soon as they are started")

    def give(self, channel: Channel) -> None:
        """Take a channel back after a call."""
        isolate = cast(Isolate, channel.isolate)  # whoever opens channels is one
        isolate.give(channel)
        if isolate in self._leaving and isolate.idle():
            self._end(isolate)

    def drop(self, channel: Channel) -> None:
        """End a channel that is of no more use, and its isolate if that has ended."""
        isolate = cast(Isolate, channel.isolate)  # whoever opens channels is one
        isolate.drop(channel)
        if not isolate.alive() or (isolate in self._leaving and isolate.idle()):
            self._forget(isolate)

    def running(self) -> list[Isolate]:
        """Return the isolates that have a script, or that are loading one."""
        with self._lock:
            return list(self._running)

    def size(self) -> int:
        """Return how many isolates there are, without the spare one."""
        with self._lock:
            return self._places

    def retire(self, version: str) -> None:
        """End the isolates of a version after the calls they have."""
        with self._lock:
            keys = [key for key in self._loaded if key[0] == version]
            leaving = [self._loaded.pop(key) for key in keys]
        if leaving:
            # Beside: whoever publishes would wait for the end of processes, and so would the calls that are watched.
            run_beside("isolates-retire", self._let_all_go, leaving)

    def works(self) -> bool:
        """Return whether the last isolate that was started came; after one that did not, others are tried."""
        return self._fault is None

    def tidy(self) -> None:
        """End isolates that were idle too long, are too many, or work without a call; keep a spare one while needed."""
        now = time.monotonic()
        with self._lock:
            left = [item for item in self._leaving if item.idle()]
            idle = _by_idleness(item for item in self._ready() if item.idle())
            surplus = max(0, len(idle) - self._idle_total)
            spared = set(eviction_order(idle, _user)[:surplus])
            leaving = [
                item
                for item in idle
                if item in spared
                or now - item.idle_since > self._idle_seconds
                or item.active_while_idle(_IDLE_CPU_SECONDS)
            ]
            is_used = (now - self._used_at < self._idle_seconds and self._used_at > 0) or self._fault is not None
            refill = (
                is_used
                and now > self._refill_after
                and self._spare is None
                and not self._refilling
                and not self._closed
            )
            self._refilling = self._refilling or refill
            spare = None if is_used else self._spare
            if spare is not None:
                self._spare = None
        if refill:
            try:
                threading.Thread(target=self._refill, name="isolate-spare", daemon=True).start()
            except RuntimeError:  # the system refuses another thread; here, calls would go unwatched meanwhile
                self._refilling, self._refill_after = False, now + _PATIENCE_SECONDS
        try:
            for isolate in leaving:
                self._replace(isolate)
            for isolate in left:
                self._end(isolate)
        finally:
            if spare is not None:
                spare.close()

    def close(self) -> None:
        """Take no more calls, wait for those in flight, end all isolates."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
        if self._lender is not None:
            for isolate in self.running():
                if isinstance(isolate, OwnIsolate):
                    self._lender.withdraw(isolate)  # borrowers finish the calls they have, and begin none
        while any(not isolate.idle() for isolate in self.running()):
            time.sleep(0.01)  # the watcher ends every call at its limit, so this ends too
        while self._refilling:
            time.sleep(0.01)
        for isolate in self.running():
            self._forget(isolate)
        if self._spare is not None:
            self._spare.close()

    def _isolate(self, script: Script, tenant: str, owner: str, state: CallState) -> Isolate:
        """Return the isolate that has loaded a script, loading it if no other call does so already."""
        key = (script.version, tenant, state.limits.memory)
        mine: Future[Isolate] | None = None
        with self._lock:
            future = self._loaded.get(key)
            unused = self._loaded.pop((key[0], None, key[2]), None) if future is None else None
            if unused is not None:
                future = self._loaded[key] = unused
            if future is None:
                future = mine = self._loaded[key] = Future()
        if unused is not None:
            self._try_lend(key, unused.result())
        if mine is None:
            try:
                isolate = future.result(max(0.0, state.deadline - time.monotonic()))
            except TimeoutError:
                raise PoolBusy from None
            if not isolate.alive():
                self._forget(isolate)
                return self._isolate(script, tenant, owner, state)
            return isolate
        try:
            isolate = self._borrowed(key, state) or self._loaded_here(key, script, owner, state)
        except BaseException as error:
            with self._lock:
                if self._loaded.get(key) is mine:
                    del self._loaded[key]
            mine.set_exception(error)
            raise
        mine.set_result(isolate)
        return isolate

    def _borrowed(self, key: Key, state: CallState) -> Isolate | None:
        """Return the isolate of another serving process; None when this one must load it, and call `done` afterward."""
        if self._lender is None:
            return None
        isolate = self._lender.borrow(key, state.deadline)
        if isolate is not None:
            isolate.priority = Priority(self._long_calls)
            with self._lock:
                self._running.add(isolate)
        return isolate

    def _try_lend(self, key: Key, isolate: Isolate) -> None:
        if self._lender is not None and isinstance(isolate, OwnIsolate):
            self._lender.try_lend(key, isolate)

    def _loaded_here(self, key: Key, script: Script, owner: str, state: CallState) -> Isolate:
        try:
            isolate = self._new(state.limits, owner, state.deadline)
            state.start()
            try:
                _, loading = isolate.load(script, state.limits)
            except BaseException:
                self._end(isolate)
                raise
            if self._lender is not None:
                self._lender.lend(key, isolate)
        finally:
            if self._lender is not None:
                self._lender.done(key)
        state.trace.logs.extend(loading.trace.logs)
        return isolate

    def _new(self, limits: Limits, owner: str, deadline: float) -> OwnIsolate:
        """Return an isolate that has loaded nothing, ending an idle one if there are too many.

        Waits while isolates that the organization had started are busy with as many calls as there are places free.
        """
        self._used_at = time.monotonic()
        while True:
            with self._lock:
                if self._closed:
                    raise PoolBusy
                own = [item for item in self._running if isinstance(item, OwnIsolate)]
                busy = [item.owner for item in own if not item.idle()]
                if self._places < self._total and busy.count(owner) < self._total - len(busy):
                    self._places += 1
                    spare, self._spare = self._spare, None
                    break
                ready = self._ready() if self._places >= self._total else []
                idle = [item for item in own if item in ready and item.idle()]
                if not idle:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        raise PoolBusy
                    self._changed.wait(min(left, _TURN_SECONDS))
                    continue
            self._replace(eviction_order(_by_idleness(idle), _user, owner)[0])
        if spare is not None and not (limits.memory == Limits().memory and spare.loadable()):
            spare.close()
            spare = None
        try:
            isolate = spare or self._begin(limits)
        except BaseException:
            self._free_place()
            raise
        isolate.owner = isolate.used_by = owner
        isolate.priority = Priority(self._long_calls)
        with self._lock:
            self._running.add(isolate)
        return isolate

    def _refill(self) -> None:
        try:
            spare: OwnIsolate | None = self._begin(Limits())
            with self._lock:
                if self._spare is None and not self._closed:
                    self._spare, spare = spare, None
            if spare is not None:
                spare.close()
        except (SandboxUnavailable, ProcessBroken):  # logged, and known to `works`
            self._refill_after = time.monotonic() + _PATIENCE_SECONDS
        finally:
            with self._lock:
                self._refilling = False

    def _begin(self, limits: Limits) -> OwnIsolate:
        try:
            isolate = self._start(limits)
        except (SandboxUnavailable, ProcessBroken) as error:
            if self._fault is None:  # once, not at every try
                _log.error("no isolate could be started: %s", error)
            self._fault = str(error)
            raise
        self._fault = None
        return isolate

    def _ready(self) -> list[Isolate]:
        """Return the isolates that have loaded their script; the lock is held."""
        return [future.result() for future in self._loaded.values() if future.done() and future.exception() is None]

    def _let_all_go(self, leaving: Iterable[Future[Isolate]]) -> None:
        for future in leaving:
            future.add_done_callback(self._let_go)

    def _let_go(self, future: Future[Isolate]) -> None:
        if future.exception() is None:
            self._replace(future.result())

    def _replace(self, isolate: Isolate) -> None:
        """Take no more calls for an isolate, and end it after those it has."""
        with self._lock:
            self._take_out(isolate)
        # Before anybody, `tidy` included, checks whether it is idle: a borrower might begin a call in between.
        try:
            if self._lender is not None and isinstance(isolate, OwnIsolate):
                self._lender.withdraw(isolate)
        finally:
            with self._lock:
                self._leaving.add(isolate)
        if isolate.idle() or not isolate.alive():
            self._end(isolate)

    def _forget(self, isolate: Isolate) -> None:
        """End an isolate and take no more calls for it."""
        with self._lock:
            self._take_out(isolate)
        self._end(isolate)

    def _take_out(self, isolate: Isolate) -> None:
        """Let no further call find an isolate; the lock is held."""
        for key, future in list(self._loaded.items()):
            if future.done() and future.exception() is None and future.result() is isolate:
                del self._loaded[key]

    def _end(self, isolate: Isolate) -> None:
        with self._lock:
            self._running.discard(isolate)
            self._leaving.discard(isolate)
        if isolate.close() and isinstance(isolate, OwnIsolate):
            if self._lender is not None:
                self._lender.forget(isolate)
            self._free_place()

    def _free_place(self) -> None:
        with self._lock:
            self._places -= 1
            self._changed.notify_all()


def _by_idleness(isolates: Iterable[Isolate]) -> list[Isolate]:
    """Order isolates by when they became idle, the one idle longest first."""
    return sorted(isolates, key=lambda isolate: isolate.idle_since)


def _user(isolate: Isolate) -> str:
    return isolate.used_by
