"""What is sent for a path: a file as it is, a folder as an archive."""

from __future__ import annotations

import os
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from devkit.terminal.output import Mistake, Problem

MAX_BYTES = 100 * 1024 * 1024
MAX_FILES = 20_000
LONGEST_NAME = 90
"""Characters of a name without its ending, which the title of a change request has room for, too."""
LEFT_OUT = frozenset((".git", ".svn", "node_modules", "__pycache__", ".venv"))
SOURCES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
    ".zip": "zip",
}
"""Ending of a file -> how it is read where nobody says it."""


class Packed(NamedTuple):
    """What is sent: its bytes, what it is called, and how it is read."""

    content: BinaryIO
    name: str
    source: str


@contextmanager
def packed(path: Path, source: str | None) -> Iterator[Packed]:
    """Open a file, or pack a folder; raises Problem for what cannot be sent."""
    if path.is_dir():
        with tempfile.TemporaryFile() as made:
            _pack(path, cast(BinaryIO, made))
            made.seek(0)
            name = named(path.resolve().name) or "folder"
            yield Packed(cast(BinaryIO, made), f"{name}.zip", source or "zip")
        return
    if not path.is_file():
        raise Mistake(f"there is no file or folder {path}")
    if path.stat().st_size > MAX_BYTES:
        raise Problem(f"{path} has more than {MAX_BYTES >> 20} MB, the maximum for one import")
    chosen = source or SOURCES.get(path.suffix.lower())
    if chosen is None:
        raise Mistake(f"cannot tell the format of {path}", hint="give it with --source")
    with path.open("rb") as file:
        yield Packed(file, f"{named(path.stem) or 'file'}{named(path.suffix)}", chosen)


def named(name: str) -> str:
    """Write the name of a file on one line, as a host takes it, without control characters."""
    plain = "".join(" " if unicodedata.category(sign)[0] == "C" or sign == "\\" else sign for sign in name)
    return " ".join(plain.split())[:LONGEST_NAME]


def _pack(folder: Path, into: BinaryIO) -> None:
    count = 0
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as zipped:
        for root, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            for name in sorted(files):
                place = Path(root, name)
                if place.is_symlink() or not place.is_file():
                    continue
                zipped.write(place, place.relative_to(folder).as_posix())
                count += 1
                if count > MAX_FILES or into.tell() > MAX_BYTES:
                    most = f"{MAX_FILES} files or {MAX_BYTES >> 20} MB packed"
                    raise Problem(f"{folder} has more than {most}; import it in parts")
    if not count:
        raise Problem(f"{folder} has no files")
