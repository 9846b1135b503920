"""What a function that runs apart may say, besides what it returns."""

from __future__ import annotations

import time
from pathlib import Path

PROGRESS = ".progress"
_TELL_EVERY = 0.25
"""Seconds between two times that a function says how far it is."""


class Refused(Exception):
    """A file cannot be worked with, for a reason that lies in it: a code for programs, a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class Telling:
    """Says in the folder how far a function is; whoever runs it hears the last that was said."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that the function was given."""
        self._folder, self._told = folder, float("-inf")

    def tell(self, done: int, total: int) -> None:
        """Say how much is done, of how much; now and then, however often it is called."""
        moment = time.monotonic()
        if moment - self._told < _TELL_EVERY:
            return
        self._told = moment
        written = self._folder / f"{PROGRESS}.new"
        written.write_text(f"{done} {total}", encoding="ascii")
        written.replace(self._folder / PROGRESS)  # so that nobody reads half of it
