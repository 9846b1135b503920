"""One thread that looks at all calls in flight and ends those that are over time, processor time or memory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from runtime.engines.python_process.flight import Flight, over
from runtime.engines.python_process.processes import measure
from runtime.engines.python_process.worker import Worker

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.05
_YOUNG_SECONDS = 0.04  # calls younger than this are not looked into


class Watcher:
    """Watches until it is closed; also does the pool's housekeeping at each tick."""

    def __init__(self, busy: Callable[[], Iterable[Worker]], housekeeping: Callable[[], None]) -> None:
        self._busy = busy
        self._housekeeping = housekeeping
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="script-watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(_TICK_SECONDS):
            try:
                now = time.monotonic()
                for worker in self._busy():
                    flight = worker.flight
                    if flight is not None and now - flight.started > _YOUNG_SECONDS:
                        self._look(worker, flight, now)
                self._housekeeping()
            except Exception:
                # A watcher that ends would leave every later call without limits.
                _log.exception("the watcher of script calls failed; it goes on")

    def _look(self, worker: Worker, flight: Flight, now: float) -> None:
        if now > flight.deadline:
            worker.stop(flight, over("wall", flight.limits))
            return
        memory, children_cpu = measure(worker.pid, worker.base_memory)
        usage = flight.trace.usage
        usage.cpu = max(usage.cpu, worker.cpu() - flight.cpu_before + children_cpu)
        usage.memory = max(usage.memory, memory)
        if usage.cpu > flight.limits.cpu:
            worker.stop(flight, over("cpu", flight.limits))
        elif usage.memory > flight.limits.memory:
            worker.stop(flight, over("memory", flight.limits))
