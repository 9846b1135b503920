"""Errors of a system that is out of file descriptors or buffers, after which a thread tries again."""

from __future__ import annotations

import errno
import logging
import time

EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PAUSE_SECONDS = 0.1
"""Before the next attempt: the work is still waiting, so retrying without a pause would spin."""
LOG_SECONDS = 60.0
"""Between two log lines about the same exhaustion."""


class Exhaustion:
    """Pauses one thread that needs descriptors, and logs that it does once a minute."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        """Take where to log, and a description of what does not work meanwhile."""
        self._log, self._what = log, what
        self._logged_at = float("-inf")

    def tell(self, error: OSError) -> None:
        """Log it, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self._logged_at > LOG_SECONDS:
            self._logged_at = now
            self._log.error("%s: %s", self._what, error)

    def pause(self, error: OSError) -> None:
        """Wait before the next try."""
        self.tell(error)
        time.sleep(PAUSE_SECONDS)
