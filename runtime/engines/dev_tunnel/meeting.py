"""The folder in which the processes of one host meet, so that a call finds the process that has its tunnel."""

from __future__ import annotations

import tempfile

from runtime.engines.own_folders import short_place

FOLDER = "DEVKIT_RELAY"
"""Variable with the folder; whoever starts the processes makes it."""
_LONGEST_PLACE = 60  # characters; a socket in a folder there has 42 more


def make_folder() -> str:
    """Make such a folder; whoever calls this removes it."""
    return tempfile.mkdtemp(prefix="devkit-", dir=short_place(_LONGEST_PLACE))
