"""How many files and connections a host may have open at a time."""

from __future__ import annotations

import resource
import sys

WANTED = 65_536 if sys.platform == "linux" else 10_240
"""More than a host opens at once; macOS refuses more than its `OPEN_MAX`."""
AT_REST = 64
"""What a serving process has open while nobody calls."""


def raise_limit() -> None:
    """Raise the limit to what this user may have: a few hundred callers use up the 1,024 that are usual in a shell."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connections(wanted: int) -> int:
    """Say how many connections a serving process may accept at once, at most as many as are wanted; more have to wait.

    Each may need another descriptor for its answer, and a web server that has none for a new connection tries again
    without a pause.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, (soft - AT_REST) // 2))
