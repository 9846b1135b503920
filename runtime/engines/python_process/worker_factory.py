"""Where new workers come from: the zygote, with some always forked in advance."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque

from runtime.engines.calling import ProcessBroken
from runtime.engines.cgroups import Groups
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.priority import LongCalls
from runtime.engines.python_process.worker import Worker
from runtime.engines.python_process.zygote import Zygote
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable

_log = logging.getLogger(__name__)

_SPARES = 2  # publishing takes one to check the script, the first call after it another
_FAILURES_REPORTED = _SPARES + 1  # spare workers that did not come, one after the other, before it is reported
_PATIENCE_SECONDS = 1.0  # before another spare one is ordered after one that could not be started


class WorkerFactory:
    """Makes workers that have loaded nothing yet; safe to use from many threads."""

    def __init__(self, mode: SandboxMode, proxy: EgressProxy, groups: Groups | None, certificates: str) -> None:
        """Start the zygote and one worker to prove that it works; raises `SandboxUnavailable`."""
        self._confined = mode == "required"
        self._proxy = proxy
        self._groups = groups
        self._long_calls = LongCalls()
        self._lock = threading.Lock()
        self._spares: deque[Worker] = deque()
        # Why the last worker could not be started; callers and the watcher set it without the lock: the last one wins.
        self._fault: str | None = None
        self._failures = 0
        self._refill_after = 0.0
        self._closed = False
        self.zygote = Zygote(mode, certificates)
        try:
            first = self.new_worker()
            self.buffers_bounded = first.buffers_bounded
            first.close()
        except ProcessBroken as error:
            self.zygote.close()
            raise SandboxUnavailable(
                f"the sandbox does not work here: {error}. Scripts need nested user namespaces; "
                "to run scripts without protection, use --sandbox off."
            ) from error
        except BaseException:
            self.zygote.close()
            raise

    def works(self) -> bool:
        """Return whether the last worker that was ordered came; one is ordered whenever a spare one is missing."""
        return self._fault is None and self.zygote.alive()

    def new_worker(self) -> Worker:
        """Return a worker, a spare one if there is one; raises `SandboxUnavailable`, `ProcessBroken`."""
        while (spare := self._take_spare()) is not None:
            try:
                spare.open()
                return spare
            except ProcessBroken:  # it ended while it waited, with its zygote
                spare.close()
        try:
            worker = self._order()
            try:
                worker.open()
            except ProcessBroken:
                worker.close()
                raise
        except (SandboxUnavailable, ProcessBroken) as error:
            self._failed(error)
            raise
        self._fault = None
        return worker

    def refill(self) -> None:
        """Look how the spare workers do, and order one if one is missing; does not wait for it."""
        with self._lock:
            arrived = [spare for spare in self._spares if spare.arrived()]
        for spare in arrived:
            self._receive(spare)
        with self._lock:
            if len(self._spares) >= _SPARES or self._closed or time.monotonic() < self._refill_after:
                return
        try:
            spare = self._order()
        except SandboxUnavailable as error:
            self._failed(error)
            return
        with self._lock:
            if not self._closed:
                self._spares.append(spare)
                return
        spare.close()

    def close(self) -> None:
        """End the spare workers and the zygote."""
        with self._lock:
            self._closed = True
            spares, self._spares = self._spares, deque()
        for spare in spares:
            spare.close()
        self.zygote.close()

    def _take_spare(self) -> Worker | None:
        with self._lock:
            return self._spares.popleft() if self._spares else None

    def _receive(self, spare: Worker) -> None:
        """Open a spare worker that has something to say: that it is ready, or that it could not be started."""
        with self._lock:
            if spare not in self._spares:
                return
            self._spares.remove(spare)
        try:
            spare.open()
        except ProcessBroken as error:
            spare.close()
            self._failures += 1
            if self._failures >= _FAILURES_REPORTED:  # else it may just have ended with its zygote
                self._failed(error)
            return
        self._fault, self._failures = None, 0
        with self._lock:
            if not self._closed:
                self._spares.append(spare)
                return
        spare.close()

    def _failed(self, error: Exception) -> None:
        self._refill_after = time.monotonic() + _PATIENCE_SECONDS
        if self._fault is None and not self._closed:  # once, not at every try
            _log.error("no worker could be started: %s", error)
        self._fault = str(error)

    def _order(self) -> Worker:
        return Worker(self.zygote.spawn(), self._proxy, self._long_calls, confined=self._confined, groups=self._groups)
