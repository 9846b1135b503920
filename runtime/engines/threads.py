"""Threads: those that repeat their work, and those that the system may refuse to start."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def run_beside(name: str, work: Callable[P, object], *arguments: P.args, **options: P.kwargs) -> None:
    """Run `work` in a thread of its own, or in this one if the system refuses another."""
    thread = threading.Thread(target=work, args=arguments, kwargs=options, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        work(*arguments, **options)


class RepeatingThread:
    """A thread that does the same work again and again, until it is closed.

    `work` returns the seconds until it is done again, which `wake` shortens. If it raises, the error is logged with
    `failed`, and it is done again after `retry` seconds, and not sooner: whatever the error is, the thread goes on.
    """

    def __init__(
        self, name: str, work: Callable[[], float], *, log: logging.Logger, failed: str, retry: float = 1.0
    ) -> None:
        self._work, self._log, self._failed, self._retry = work, log, failed, retry
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.stopping = threading.Event()
        """For `work` to look at between two steps."""

    def start(self) -> None:
        """Start, with the first round at once."""
        self._thread.start()

    def wake(self) -> None:
        """Begin the next round at once, or after the current one."""
        self._wake.set()

    def alive(self) -> bool:
        """Return whether the thread still does its work."""
        return self._thread.is_alive() and not self.stopping.is_set()

    def stop(self) -> None:
        """Begin no further round."""
        self.stopping.set()
        self._wake.set()

    def close(self, timeout: float = 10.0) -> None:
        """Stop, and wait at most `timeout` seconds for the current round to end."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(timeout=timeout)

    def _run(self) -> None:
        while not self.stopping.is_set():
            try:
                pause = self._work()
            except Exception:
                self._log.exception(self._failed)
                self.stopping.wait(self._retry)  # whoever wakes it: what fails each time would fill the log
                continue
            if pause > 0:
                self._wake.wait(min(pause, threading.TIMEOUT_MAX))
            # After the wait, right before `stopping` is checked: `stop` sets `stopping` first, so it is never missed.
            self._wake.clear()
