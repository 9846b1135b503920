"""The errors of a system that has no room for one more connection, after which a listener tries again."""

from __future__ import annotations

import errno
import logging
import time

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PAUSE_SECONDS = 0.1
"""Before the next try: whoever connects is still in the listener's queue, so that a try without a pause would spin."""
LOG_SECONDS = 60.0
"""Between two log lines about the same exhaustion."""


class Exhaustion:
    """Pauses one thread that accepts connections, and logs that it does once a minute."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        """Take where to log, and what does not work meanwhile."""
        self._log, self._what = log, what
        self._logged_at = float("-inf")

    def pause(self, error: OSError) -> None:
        """Wait before the next try."""
        now = time.monotonic()
        if now - self._logged_at > LOG_SECONDS:
            self._logged_at = now
            self._log.error("%s: %s", self._what, error)
        time.sleep(PAUSE_SECONDS)
