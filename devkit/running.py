"""Where the `devkit dev` of a project is reached: a note beside the project, so that other commands find it."""

from __future__ import annotations

import json
import os
from pathlib import Path

FOLDER = ".devkit"
NOTE = "running.json"
TOKEN = "token"


def write(project: Path, host: str, data: Path) -> Path:
    """Note the address of a host that serves a project, and the folder that holds its token; gives the note's file."""
    folder = project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    ignore(folder)
    note = folder / NOTE
    fresh = note.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps({"host": host, "data": str(data.resolve()), "process": os.getpid()}))
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


def ignore(folder: Path) -> None:
    """Keep a folder of ours out of version control."""
    (folder / ".gitignore").write_text("*\n")
