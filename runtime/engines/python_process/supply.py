"""Where new workers come from: the zygote, with some always forked in advance."""

from __future__ import annotations

import logging
import threading
from collections import deque

from runtime.engines.calling import ProcessBroken
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.python_process.worker import Worker
from runtime.engines.python_process.zygote import Zygote
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable

_log = logging.getLogger(__name__)

_SPARES = 2  # publishing takes one to check the script, the first call after it another


class Supply:
    """Makes workers that have loaded nothing yet; safe to use from many threads."""

    def __init__(self, mode: SandboxMode, proxy: EgressProxy) -> None:
        """Start the zygote and one worker to prove that it works; raises `SandboxUnavailable`."""
        self._confined = mode == "required"
        self._proxy = proxy
        self._lock = threading.Lock()
        self._spares: deque[Worker] = deque()
        self._closed = False
        self.zygote = Zygote(mode)
        try:
            self.new_worker().close()
        except ProcessBroken as error:
            self.zygote.close()
            raise SandboxUnavailable(
                f"the sandbox does not work here: {error}. Scripts need nested user namespaces; "
                "to run scripts without protection, choose sandbox off."
            ) from error
        except BaseException:
            self.zygote.close()
            raise

    def new_worker(self) -> Worker:
        """Return a worker, a spare one if there is one; raises `SandboxUnavailable`, `ProcessBroken`."""
        while self._spares:
            with self._lock:
                spare = self._spares.popleft() if self._spares else None
            if spare is None:
                break
            try:
                spare.open()
                return spare
            except ProcessBroken:  # it ended while it waited, with its zygote
                spare.close()
        worker = self._order()
        try:
            worker.open()
        except ProcessBroken:
            worker.close()
            raise
        return worker

    def refill(self) -> None:
        """Order a spare worker if one is missing; does not wait for it."""
        with self._lock:
            if len(self._spares) >= _SPARES or self._closed:
                return
        try:
            spare = self._order()
        except SandboxUnavailable as error:
            _log.error("no worker could be started: %s", error)
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

    def _order(self) -> Worker:
        return Worker(self.zygote.spawn(), self._proxy, confined=self._confined)
