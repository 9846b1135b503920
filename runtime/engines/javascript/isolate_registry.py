"""The folder through which the serving processes of one host find each other's isolates."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from runtime.engines.own_folders import Folders

FOLDER = "DEVKIT_ISOLATES"
"""Environment variable with the folder; the process that starts the others sets it."""
PROCESSES_PER_GROUP = 2
"""How many serving processes share isolates. A render takes about as much time in the serving process as in the
isolate: so two processes share one isolate of a version on two processors, and with more processors a busy version has
several isolates."""
_LONGEST_PLACE = 40  # characters; a socket in a folder below one there has 60 more


def folders() -> Folders:
    """Make what creates such folders; they go when it is closed, or with the next host if this one was killed."""
    return Folders("devkit-isolates-", _LONGEST_PLACE)


def folder_of(index: int) -> Path | None:
    """Return where the serving process of this index, from 0, shares isolates; None where it shares none.

    Raises `OSError` where the folder cannot be written.
    """
    folder = os.environ.get(FOLDER)
    if not folder or sys.platform != "linux":  # other systems do not tell which process is at the other end of a socket
        return None
    shared = Path(folder, str(index // PROCESSES_PER_GROUP))
    shared.mkdir(mode=0o700, exist_ok=True)
    return shared
