"""Blobs in a folder of this machine."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import BinaryIO

from runtime.store.blobs.backend import BlobMissing, BlobsUnavailable
from runtime.store.disk import has_room

log = logging.getLogger(__name__)

UNFINISHED = "unfinished"
"""The folder, beside those of blobs, of files that are being written."""


class FolderBackend:
    """A file for each blob, in folders named by the first two characters."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is created with the first blob."""
        self._folder, self._unfinished = folder, folder / UNFINISHED
        self._told = False
        self._one_at_a_time = threading.Lock()

    def has(self, name: str, size: int) -> bool:
        """Return whether a blob of this size exists."""
        try:
            return self._path(name).stat().st_size == size
        except FileNotFoundError:
            return False
        except OSError as error:
            raise BlobsUnavailable(f"{self._folder}: {error.strerror}") from error

    def write(self, name: str, content: BinaryIO) -> None:
        """Store a blob: written to a temporary file and renamed, so that nobody sees an incomplete one."""
        path = self._path(name)
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._unfinished.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._unfinished, delete=False) as made:
                try:
                    self._take_room(made.fileno(), size)
                    shutil.copyfileobj(content, made, 1 << 20)
                    made.flush()
                    os.fsync(made.fileno())
                    Path(made.name).replace(path)
                except BaseException:
                    Path(made.name).unlink(missing_ok=True)
                    raise
            _sync(path.parent)
        except OSError as error:
            raise BlobsUnavailable(f"{self._folder}: {error.strerror}") from error

    def open(self, name: str, start: int = 0) -> BinaryIO:
        """Read a blob from a byte on."""
        try:
            file = self._path(name).open("rb")
        except FileNotFoundError:
            raise BlobMissing(name) from None
        except OSError as error:
            raise BlobsUnavailable(f"{self._folder}: {error.strerror}") from error
        file.seek(start)
        return file

    def delete(self, name: str) -> None:
        """Delete a blob."""
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise BlobsUnavailable(f"{self._folder}: {error.strerror}") from error

    def sweep(self, before: float) -> None:
        """Delete the temporary files of processes that were killed."""
        for file in self._unfinished.glob("*"):
            try:
                if file.stat().st_mtime < before:
                    file.unlink(missing_ok=True)
            except FileNotFoundError:  # it has just been finished
                continue
            except OSError as error:
                log.warning("%s was never finished, and cannot be deleted: %s", file, error.strerror)

    def _take_room(self, descriptor: int, size: int) -> None:
        """Reserve the disk space of a file, and leave some for the rest of the host; raises `BlobsUnavailable`.

        One after the other: many that look at the same free bytes would take more than there are. Serving processes
        do not wait for each other, and there are few.
        """
        with self._one_at_a_time:
            if has_room(self._folder, size):
                self._told = False
                if size and sys.platform == "linux":
                    os.posix_fallocate(descriptor, 0, size)
                return
            if not self._told:  # once, and not for each of many files
                log.error("files are refused: the disk of %s is almost full", self._folder)
                self._told = True
        raise BlobsUnavailable(f"{self._folder}: the disk is almost full")

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name


def _sync(folder: Path) -> None:
    """Sync the entries of a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
