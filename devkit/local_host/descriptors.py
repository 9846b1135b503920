"""How many files and connections a host may have open at a time."""

from __future__ import annotations

import resource
import sys

WANTED = 65_536 if sys.platform == "linux" else 10_240
"""More than a host opens at once; macOS refuses more than its `OPEN_MAX`."""


def raise_limit() -> None:
    """Raise the limit to what this user may have: a few hundred callers use up the 1,024 that are usual in a shell."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
