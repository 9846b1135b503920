"""Temporary folders of isolates, and what killed hosts left of theirs."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from pathlib import Path

_PREFIX = "integration-js-"
_LOCK = "lock"
_LONGEST = 60  # characters: the address of a Unix socket, further down, may have 107 in all


class Folders:
    """Makes folders below one that is locked as long as this process lives."""

    def __init__(self) -> None:
        """Remove the folders of processes that are gone, and make one."""
        base = tempfile.gettempdir()
        self._place = base if len(base) <= _LONGEST else "/tmp"
        for left in Path(self._place).glob(f"{_PREFIX}*"):
            _remove_if_left(left)
        self._making = threading.Lock()
        self._lock: int | None = None
        self._make_root()

    def new(self) -> Path:
        """Make a folder that only this user can enter; raises `OSError` where nothing can be written."""
        with self._making:
            if not self._root.is_dir():  # systems tidy their temporary folders, and a host runs for months
                self._release()
                self._make_root()
            return Path(tempfile.mkdtemp(dir=self._root))

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._root, ignore_errors=True)
        self._release()

    def _make_root(self) -> None:
        while self._lock is None:  # another host may have taken a fresh folder for one that was left
            self._root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._place))
            self._lock = _locked(self._root)

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """Lock a folder; None when its process is there and holds the lock, or it is not a folder of ours."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have removed this file since it was opened, and a third may hold the lock of a new one.
        current = (folder / _LOCK).lstat()
        if os.path.samestat(os.fstat(descriptor), current):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _remove_if_left(folder: Path) -> None:
    descriptor = _locked(folder)
    if descriptor is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)
