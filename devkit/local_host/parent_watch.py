"""A host that ends with whoever started it, however that ended."""

from __future__ import annotations

import os
import signal
import sys
import threading

END_WITH_STARTER = "DEVKIT_END_WITH_STARTER"
"""Variable that says that the starter holds the other end of the standard input open for as long as it lives."""


def end_with_starter() -> None:
    """Stop this process, from a thread, when its standard input ends; where nobody asked for it, do nothing."""
    if os.environ.get(END_WITH_STARTER):
        threading.Thread(target=_wait, name="parent watch", daemon=True).start()


def _wait() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
