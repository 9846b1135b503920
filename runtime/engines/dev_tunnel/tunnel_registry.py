"""The shared folder of the processes of one host, in which a call finds the process that has its tunnel."""

from __future__ import annotations

from runtime.engines.own_folders import Folders

FOLDER = "DEVKIT_RELAY"
"""Variable with the folder, which the parent process creates."""
_LONGEST_PLACE = 40  # characters; a socket in a folder below one there has 60 more


def folders() -> Folders:
    """Create the folder; it is removed when the result is closed, or by the next host if this one was killed."""
    return Folders("devkit-relay-", _LONGEST_PLACE)
