"""Whether the host can still write to its folders."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from pathlib import Path

log = logging.getLogger(__name__)

PROBE = 1024 * 1024
"""Free bytes that are required: with less, the database is about to fail."""
KEPT_FREE, KEPT_SHARE = 256 << 20, 0.05
"""Free bytes of a disk, or the share of a small one, that are left to what cannot wait, such as events and sign-ins."""
REMEMBERED = 1.0
"""Seconds for which an answer counts: the requester often must not keep the disk busy."""


def has_room(folder: Path, more: int = 0) -> bool:
    """Return whether the disk of a folder has `more` bytes and what is kept free; raises OSError."""
    usage = shutil.disk_usage(folder)
    return usage.free - more >= min(KEPT_FREE, usage.total * KEPT_SHARE)


class Disk:
    """The folders a host writes into; safe to ask from many threads."""

    def __init__(self, folders: Collection[Path]) -> None:
        self._folders = folders
        self._lock = threading.Lock()
        self._until = 0.0
        self._writable = True

    def writable(self) -> bool:
        """Return whether a file could be written in each of the folders a moment ago."""
        with self._lock:
            if time.monotonic() >= self._until:
                before, self._writable = (
                    self._writable,
                    all(self._probe(folder, self._writable) for folder in self._folders),
                )
                if self._writable and not before:
                    log.info("the folders of this host are writable again")
                self._until = time.monotonic() + REMEMBERED
            return self._writable

    @staticmethod
    def _probe(folder: Path, tell: bool) -> bool:
        try:
            with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
                # Allocated and not written: a million bytes each second would wear a disk for nothing.
                if sys.platform == "linux":
                    os.posix_fallocate(file.fileno(), 0, PROBE)
                else:
                    file.write(bytes(PROBE))
        except OSError as error:
            if tell:
                log.error("%s cannot be written: %s", folder, error.strerror)
            return False
        return True
