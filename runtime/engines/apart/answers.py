"""What a function that runs apart may say, besides what it returns."""

from __future__ import annotations


class Refused(Exception):
    """A file cannot be worked with, for a reason that lies in it: a code for programs, a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message
