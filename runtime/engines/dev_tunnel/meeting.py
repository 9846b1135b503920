"""The folder in which the processes of one host meet, so that a call finds the process that has its tunnel."""

from __future__ import annotations

from runtime.engines.own_folders import Folders

FOLDER = "DEVKIT_RELAY"
"""Variable with the folder; whoever starts the processes makes it."""
_LONGEST_PLACE = 40  # characters; a socket in a folder below one there has 60 more


def folders() -> Folders:
    """Make what lends such a folder; it goes when that is closed, or with the next host after this one was killed."""
    return Folders("devkit-relay-", _LONGEST_PLACE)
