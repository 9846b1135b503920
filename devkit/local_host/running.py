"""Where the `devkit dev` of a project is reached: a note beside the project, so that other commands find it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devkit.local_host import private_files
from devkit.terminal.output import Problem

FOLDER = private_files.HIDDEN
NOTE = "running.json"
TOKEN = "token"
LOCK = "lock"


def write(project: Path, host: str, data: Path) -> Path:
    """Note the address of a host that serves a project, and the folder that holds its token; gives the note's file.

    Raises OSError where the project's folder cannot be written.
    """
    folder = private_files.folder(project / FOLDER)
    ignore(folder)
    note = folder / NOTE
    fresh = note.with_suffix(f".{os.getpid()}")
    private_files.write(fresh, json.dumps({"host": host, "data": str(data.resolve()), "process": os.getpid()}))
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
    """Find host and token of the running `devkit dev` of a folder or of one above; None without one."""
    begin = start.resolve()
    for folder in (begin, *begin.parents):
        try:
            note = json.loads((folder / FOLDER / NOTE).read_text())
            token = (Path(note["data"]) / TOKEN).read_text().strip()
            os.kill(int(note["process"]), 0)
            return str(note["host"]), token
        except (OSError, ValueError, KeyError, TypeError):
            continue  # none here, or one that was killed before it could take its note away
    return None


def forget(data: Path) -> None:
    """Remove what earlier runs left in a data folder; raises Problem for any other folder, or one in use."""
    if not data.exists() or {path.name for path in data.iterdir()} <= {LOCK, ".gitignore"}:
        return
    if not (data / TOKEN).is_file():
        raise Problem(f"--fresh: {data} is not a data folder of `devkit dev`; nothing was removed")
    try:
        with os.fdopen(private_files.opened(data / LOCK), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(data)
    except BlockingIOError:
        raise Problem(f"--fresh: a `devkit dev` works with {data}; stop it first") from None
    except OSError as error:
        raise Problem(f"--fresh: {data} cannot be removed: {error.strerror}") from error


@contextmanager
def claim(data: Path) -> Iterator[None]:
    """Keep a data folder for this process; raises Problem where another one works with it, or it cannot be written."""
    try:
        private_files.folder(data)
        ignore(data)
        lock = os.fdopen(private_files.opened(data / LOCK), "w")
    except OSError as error:
        raise Problem(f"{data} cannot be written: {error.strerror}; give --data another folder") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(f"another `devkit dev` works with {data}; stop it, or give --data another folder") from None
        yield


def ignore(folder: Path) -> None:
    """Keep a folder of ours out of version control."""
    private_files.write(folder / ".gitignore", "*\n")
