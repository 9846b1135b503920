"""Files and folders that nobody but their owner may read, whatever the umask says; those that are looser are closed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
UMASK = 0o077
"""For processes that write nothing others should read: databases make files of their own, beside the one they open."""
OURS = (
    "host.sqlite*",
    "host.migrating",
    "secret.key*",
    "identity.pem*",
    "token",
    "lock",
    "running.*",
    "host.log",
    "debug.log",
    ".gitignore",
)
"""What the host and `devkit dev` keep in a data folder."""
OUR_FOLDER = "blobs"
"""Where the host keeps files of the content, in its data folder."""
HIDDEN = ".devkit"
"""The folder in a project that is ours whatever is in it."""


def folder(path: Path) -> Path:
    """Make a folder of ours with what is missing above it, or close one that is there; raises OSError."""
    try:
        path.mkdir(mode=FOLDER, exist_ok=True)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=FOLDER, exist_ok=True)
    tighten(path)
    return path


def tighten(path: Path) -> None:
    """Close a data folder and the files of ours in it; raises OSError.

    A folder that holds other things, too, may be anybody's: there only our files are closed.
    """
    for file in _ours(path):
        _close(file, FILE)
    if path.name == HIDDEN or holds_ours_alone(path):
        _close(path, FOLDER)


def holds_ours_alone(path: Path) -> bool:
    """Return whether a folder has nothing in it but what the host keeps there; raises OSError."""
    return set(path.iterdir()) <= _ours(path) | {path / OUR_FOLDER}


def _ours(path: Path) -> set[Path]:
    return {file for pattern in OURS for file in path.glob(pattern)}


def tighten_database(address: str) -> None:
    """Close the files of a SQLite database, wherever it is; raises OSError."""
    kind, _, name = address.partition(":///")
    if kind.startswith("sqlite") and name:
        file = Path(name.partition("?")[0])
        for database_file in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm", "-journal"))):
            _close(database_file, FILE)


def opened(path: Path, flags: int = os.O_TRUNC) -> int:
    """Open a file for writing, made or closed before anything is written into it; raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | flags, FILE)
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, FILE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def write(path: Path, text: str, flags: int = os.O_TRUNC) -> None:
    """Write a file that only its owner may read; raises OSError."""
    with os.fdopen(opened(path, flags), "w", encoding="utf-8") as out:
        out.write(text)


def _close(path: Path, most: int) -> None:
    """Take the rights of others from a file of this user; a link is left alone, and so is what it leads to."""
    try:
        status = path.lstat()
        fits = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
        if fits and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & ~most:
            path.chmod(stat.S_IMODE(status.st_mode) & most)
    except FileNotFoundError:
        return  # a file of the database that another process has just removed
