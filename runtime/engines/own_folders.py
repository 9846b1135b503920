"""Temporary folders of this process, and the leftovers of killed hosts."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK = "lock"


def short_place(longest: int) -> str:
    """Return the folder for what is temporary, or /tmp where its name has more characters than these.

    The whole address of a Unix socket has 107 at the most on Linux, 103 on macOS.
    """
    place = tempfile.gettempdir()
    return place if len(place) <= longest else "/tmp"


class Folders:
    """Creates folders below one that is locked as long as this process lives."""

    def __init__(self, prefix: str, longest: int | None = None) -> None:
        """Remove the folders of dead processes, and create one; `prefix` is the start of all their names.

        Where the folder for what is temporary has a name of more than `longest` characters, it is made in /tmp.
        """
        self._place = tempfile.gettempdir() if longest is None else short_place(longest)
        self._prefix = prefix
        for left in Path(self._place).glob(f"{prefix}*"):
            _remove_if_left(left)
        self._making = threading.Lock()
        self._lock: int | None = None
        self._make_root()

    def new(self) -> Path:
        """Create a folder that only this user can enter; raises `OSError`."""
        with self._making:
            return Path(tempfile.mkdtemp(dir=self._there()))

    @contextmanager
    def lent(self) -> Iterator[Path]:
        """Create a folder like `new`, which is removed with its contents at the end of the block."""
        with self._making:
            lent = tempfile.TemporaryDirectory(dir=self._there(), ignore_cleanup_errors=True)
        with lent as name:
            yield Path(name)

    def again(self, folder: Path) -> None:
        """Make a folder again that `new` made, where it is gone; raises `OSError` where it cannot be had any more.

        Others know it by its name.
        """
        with self._making:
            if self._there() != folder.parent:
                raise FileNotFoundError(f"{folder.parent} was removed, and cannot be made again")
            folder.mkdir(mode=0o700, exist_ok=True)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._root, ignore_errors=True)
        self._release()

    def _there(self) -> Path:
        if not self._is_locked():  # systems tidy their temporary folders, and a host runs for months
            self._release()
            self._make_root_again()
        return self._root

    def _is_locked(self) -> bool:
        """Tell whether the folder is there with the file that says that it is in use."""
        try:
            return self._lock is not None and os.path.samestat(os.fstat(self._lock), (self._root / _LOCK).lstat())
        except OSError:
            return False

    def _make_root_again(self) -> None:
        """Make the folder where it was, unless somebody else has made one there; then make another one."""
        with suppress(FileExistsError):
            self._root.mkdir(mode=0o700)
        if _is_ours(self._root):
            self._lock = _locked(self._root)
        self._make_root()

    def _make_root(self) -> None:
        while self._lock is None:  # another host may have taken a fresh folder for one that was left
            self._root = Path(tempfile.mkdtemp(prefix=self._prefix, dir=self._place))
            self._lock = _locked(self._root)

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _is_ours(folder: Path) -> bool:
    """Tell whether this user alone can enter a folder."""
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & 0o077


def _locked(folder: Path) -> int | None:
    """Lock a folder; None if its process is alive and holds the lock, or it is not one of ours."""
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
