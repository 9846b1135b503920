"""Ends a serving process that hangs, so that the one that leads it starts another.

Native code may keep the interpreter for as long as it takes, as Python's regular expressions do: no other thread of the
process runs meanwhile, none can end it, and `/healthz` does not answer. So a thread winds up a timer of `faulthandler`
again and again, which needs no interpreter. When it runs out, it writes what all threads were doing to the log.
"""

from __future__ import annotations

import faulthandler
import logging

from runtime.engines.threads import RepeatingThread

log = logging.getLogger(__name__)

HANGS = 60.0
"""Seconds without any Python after which a process hangs; what takes longest by design takes a few."""
FAILED = "the timer that ends this process when it hangs could not be set"


def end_when_hanging(seconds: float = HANGS) -> None:
    """Watch this process until it ends."""

    def wind_up() -> float:
        faulthandler.dump_traceback_later(seconds, exit=True)
        return seconds / 10

    RepeatingThread("hang watch", wind_up, log=log, failed=FAILED).start()
