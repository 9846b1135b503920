"""What keeps bytes under names."""

from __future__ import annotations

from typing import BinaryIO, Protocol


class BlobMissing(LookupError):
    """There is not a blob of this name where blobs are kept."""


class BlobsUnavailable(Exception):
    """The place where blobs are kept does not answer, or refuses; the sentence is for whoever runs the host."""


class Backend(Protocol):
    """A place for bytes; safe to use from many threads. All raise `BlobsUnavailable`."""

    def has(self, name: str, size: int) -> bool:
        """Return whether a blob of this size is there."""
        ...

    def write(self, name: str, content: BinaryIO) -> None:
        """Keep a blob, whole or not at all."""
        ...

    def open(self, name: str, start: int = 0) -> BinaryIO:
        """Read a blob from a byte on; raises `BlobMissing`."""
        ...

    def delete(self, name: str) -> None:
        """Let go of a blob, if it is there."""
        ...
