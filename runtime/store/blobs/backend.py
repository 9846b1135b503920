"""The interface of blob storage."""

from __future__ import annotations

from typing import BinaryIO, Protocol


class BlobMissing(LookupError):
    """There is no blob of this name in the storage."""


class BlobsUnavailable(Exception):
    """The blob storage does not answer, or refuses; the message is for the operator."""


class Backend(Protocol):
    """Storage for bytes; safe to use from many threads.

    All methods raise `BlobsUnavailable`, and so does reading from what `open` gives.
    """

    def has(self, name: str, size: int) -> bool:
        """Return whether a blob of this size exists."""
        ...

    def write(self, name: str, content: BinaryIO) -> None:
        """Store a blob atomically."""
        ...

    def open(self, name: str, start: int = 0) -> BinaryIO:
        """Read a blob from a byte on; raises `BlobMissing`."""
        ...

    def delete(self, name: str) -> None:
        """Delete a blob, if it exists."""
        ...

    def sweep(self, before: float) -> None:
        """Delete what was begun before a moment, in epoch seconds, and never finished, since its process was killed."""
        ...
