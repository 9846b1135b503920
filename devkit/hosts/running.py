"""Where the `devkit dev` of a project is reached: a note beside the project, so that other commands find it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devkit.files import private_files
from devkit.terminal.output import Problem

FOLDER = private_files.HIDDEN
NOTE = "running.json"
TOKEN = "token"
LOCK = "lock"
HARMLESS = (".gitignore", LOCK, "host.log", "debug.log")
"""What may be in a folder that was not made here: nothing that is read by a host."""
HERE = re.compile(r"http://127\.0\.0\.1:\d{1,5}")


class InUse(Problem):
    """Another `devkit dev` works with a data folder."""


def write(project: Path, host: str, data: Path) -> Path:
    """Note the address of a host that serves a project, and the folder that holds its token; gives the note's file.

    Raises OSError where the project's folder cannot be written, or leads elsewhere.
    """
    if (project / FOLDER).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(project / FOLDER))
    folder = private_files.folder(project / FOLDER)
    ignore(folder)
    note = folder / NOTE
    fresh = note.with_suffix(f".{os.getpid()}")
    with os.fdopen(private_files.opened(fresh), "w") as out:
        place = _place(os.fstat(out.fileno()))
        json.dump({"host": host, "data": str(data.resolve()), "process": os.getpid(), "file": place}, out)
    fresh.replace(note)  # at once: nobody reads half of it
    return note


def remove(note: Path) -> None:
    """Take the note away, unless another process has written it since."""
    try:
        if json.loads(note.read_text())["process"] == os.getpid():
            note.unlink()
    except (OSError, ValueError, KeyError):
        return  # it is gone, or was never whole: nobody can be misled by it


def find(start: Path) -> tuple[str, str] | None:
    """Find host and token of the running `devkit dev` of a folder or of one above; None without one.

    A note that came with a project from elsewhere counts for nothing: it could name any file as the token, and any
    address to send that to. Ours is for its owner alone, which no repository keeps, names the file it is in, which no
    archive can know beforehand, is in a folder of the project itself, and leads to this machine.
    """
    begin = start.resolve()
    return next((found for folder in (begin, *begin.parents) if (found := find_in(folder)) is not None), None)


def find_in(folder: Path) -> tuple[str, str] | None:
    """Find what `find` does, in one folder alone."""
    try:
        file = folder / FOLDER / NOTE
        kept = file.lstat()
        if (
            (folder / FOLDER).is_symlink()
            or kept.st_uid != os.geteuid()
            or stat.S_IMODE(kept.st_mode) != private_files.FILE
        ):
            return None
        note = json.loads(file.read_text())
        host, process = str(note["host"]), int(note["process"])
        # Numbers of 0 and below mean whole groups of processes.
        if note["file"] != _place(kept) or not HERE.fullmatch(host) or process <= 0:
            return None
        token = (Path(note["data"]) / TOKEN).read_text().strip()
        os.kill(process, 0)
        return host, token
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none here, or one that was killed before it could take its note away


def other(project: Path, data: Path) -> str | None:
    """Return the address of another host that serves a project and is still running; `data` is our own data folder.

    Its process may have been killed, and its number be another program's by now: who runs holds its data folder.
    """
    found = find_in(project)
    if found is None:
        return None
    try:
        theirs = Path(json.loads((project / FOLDER / NOTE).read_text())["data"])
        if theirs == data.resolve():
            return None
        with os.fdopen(private_files.opened(theirs / LOCK, 0), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return found[0]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # it ends at this moment


def _place(file: os.stat_result) -> str:
    """Return what tells one file from all others of this machine, copies of it included."""
    return f"{file.st_dev}:{file.st_ino}"


def data_in(project: Path, *, fresh: bool = False) -> Path:
    """Return the data folder of a project; raises Problem for one that was not made here, but came with the project.

    Its token would be known to whoever made it, its database and its key theirs, and a link would lead anywhere. With
    `fresh` what is in it does not matter, because it will be removed.
    """
    folder = project / FOLDER
    if folder.is_symlink():
        raise Problem(
            f"{folder} is a link, which may have come with the project", hint="remove it, or give a folder with --data"
        )
    try:
        inside = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        ours = all(name in HARMLESS or name.startswith("running.") for name in inside) or _is_ours(folder)
    except OSError as error:
        raise Problem(f"{folder} cannot be read: {error.strerror}", hint="give --data another folder") from None
    if not ours and not fresh:
        raise Problem(
            f"{folder} was not created on this machine, so others may know its token. Start over with "
            f"--fresh; if it is your own, from an earlier release or moved here, `--data {folder}` adopts "
            "it"
        )
    return folder


def _is_ours(data: Path) -> bool:
    """Return whether `claim` has written the lock of a folder: it says which file it is, which no archive can know."""
    lock = data / LOCK
    try:
        kept = lock.lstat()
        closed = stat.S_ISREG(kept.st_mode) and stat.S_IMODE(kept.st_mode) == private_files.FILE
        return closed and kept.st_uid == os.geteuid() and lock.read_text().strip() == str(kept.st_ino)
    except (OSError, ValueError):
        return False


def forget(data: Path) -> None:
    """Remove what earlier runs left in a data folder; raises Problem for any other folder, or one in use."""
    if not data.exists() or {path.name for path in data.iterdir()} <= {LOCK, ".gitignore"}:
        return
    if not (data / TOKEN).is_file():
        raise Problem(f"--fresh: {data} is not a data folder of `devkit dev`; nothing was removed")
    try:
        with os.fdopen(private_files.opened(data / LOCK, 0), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(data)
    except BlockingIOError:
        raise InUse(f"--fresh: a `devkit dev` is using {data}; stop it first") from None
    except OSError as error:
        raise Problem(f"--fresh: {data} cannot be removed: {error.strerror}") from error


@contextmanager
def claim(data: Path) -> Iterator[None]:
    """Keep a data folder for this process; raises InUse, and Problem where it cannot be written."""
    try:
        private_files.folder(data)
        ignore(data)
        lock = os.fdopen(private_files.opened(data / LOCK, 0), "w")
    except OSError as error:
        raise Problem(f"{data} cannot be written: {error.strerror}", hint="give --data another folder") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"another `devkit dev` is using {data}; stop it, or give --data another folder") from None
        # From now on it is known as ours (`data_in`); nobody else writes into the file.
        lock.truncate()
        lock.write(str(os.fstat(lock.fileno()).st_ino))
        lock.flush()
        yield


def ignore(folder: Path) -> None:
    """Keep a folder of ours out of version control."""
    private_files.write(folder / ".gitignore", "*\n")
