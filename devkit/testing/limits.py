"""The limits of time of a call, for scripts that run in the process of their tests."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.contract.invocation import Limits

AGAIN = 1.0
"""Seconds after which a script that caught the error is stopped once more."""


class TimeLimitExceeded(Exception):
    """A script took longer than a host would let it."""


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Stop what runs inside at its limit of time or processor time: raises TimeLimitExceeded where the script is.

    Signals are for the main thread only; elsewhere nothing is limited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    clocks = (
        (signal.ITIMER_REAL, signal.SIGALRM, limits.wall, "seconds"),
        (signal.ITIMER_PROF, signal.SIGPROF, limits.cpu, "seconds of computing"),
    )
    before = []
    for clock, number, most, unit in clocks:
        message = f"the script took longer than the limit of {most:g} {unit}"
        before.append((clock, number, signal.signal(number, _over(message)), signal.setitimer(clock, most, AGAIN)))
    try:
        yield
    finally:
        for clock, number, handler, timer in before:
            signal.setitimer(clock, *timer)
            signal.signal(number, handler)


def _over(message: str) -> signal.Handlers:
    def stop(*_: object) -> None:
        raise TimeLimitExceeded(message)

    return stop  # type: ignore[return-value]
