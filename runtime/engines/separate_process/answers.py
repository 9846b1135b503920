"""What a function in a separate process can report besides its result: errors and progress."""

from __future__ import annotations

import time
from pathlib import Path

PROGRESS = ".progress"
_TELL_EVERY = 0.25
"""Seconds between two progress reports of a function."""


class Refused(Exception):
    """A file cannot be processed because of its content: a code for programs, a message for people.

    `part` names which of several texts this is about, as the caller named it.
    """

    def __init__(self, code: str, message: str, part: str = "") -> None:
        super().__init__(code, message, part)
        self.code, self.message, self.part = code, message, part


class Telling:
    """Reports the progress of a function in the folder; its caller gets the latest report."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the function."""
        self._folder, self._told = folder, float("-inf")

    def tell(self, done: int, total: int) -> None:
        """Report how much is done, of how much; written from time to time, however often it is called."""
        moment = time.monotonic()
        if moment - self._told < _TELL_EVERY:
            return
        self._told = moment
        written = self._folder / f"{PROGRESS}.new"
        written.write_text(f"{done} {total}", encoding="ascii")
        written.replace(self._folder / PROGRESS)  # so that nobody reads half of it
