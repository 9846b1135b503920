"""Walks a folder with untrusted content: only regular files with valid names, within limits."""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path

from runtime.services.folders.names import MAX_PATH, usable

MAX_LOOKED_AT = 200_000
MAX_FILE = 100 * 1024 * 1024
MAX_TEXT = 1_000_000
"""The most characters of one Markdown file, each of at most four bytes."""
MAX_TEXTS = 100_000_000
"""The most bytes of all text files together."""
MAX_DEPTH = 40
MAX_PROBLEMS = 100
KEPT_HIDDEN = (".gitbook", ".gitbook.yaml")


class Problems(list[str]):
    """Sentences about what could not be read; beyond a limit they are only counted."""

    more = 0

    def append(self, sentence: str) -> None:
        """Add a problem."""
        if len(self) < MAX_PROBLEMS:
            super().append(sentence[:1000])
        else:
            self.more += 1

    def told(self) -> list[str]:
        """Return all sentences, with the number of those that were only counted."""
        return [*self, f"{self.more} more problems are not listed."] if self.more else list(self)


class Files(ABC):
    """The files of a folder: `sizes` maps paths to bytes. All text files together have a limit."""

    def __init__(self, sizes: dict[str, int], problems: Problems) -> None:
        """Take the paths and sizes."""
        self.sizes, self.problems = sizes, problems
        self._left = MAX_TEXTS

    @abstractmethod
    def bytes_of(self, path: str) -> bytes:
        """Read a file that is known to be small; raises OSError."""

    @abstractmethod
    def copy(self, path: str, to: Path) -> None:
        """Copy a file's bytes to another place; raises OSError."""

    @abstractmethod
    def same(self, path: str, other: Path) -> bool:
        """Return whether a file has the same bytes as another."""

    def text(self, path: str, most: int = MAX_TEXT) -> str | None:
        """Read a text file; None, with a problem reported, if it is not text or too long."""
        size = self.sizes[path]
        if size > most * 4 or size > self._left:
            self.problems.append(f"{path}: it was skipped, since it, or all texts together, are too large.")
            return None
        self._left -= size
        try:
            text = self.bytes_of(path).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            self.problems.append(f"{path}: it is left out, since it is not UTF-8 text.")
            return None
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > most:
            self.problems.append(f"{path}: it was skipped, since it has more than {most} characters.")
            return None
        return text


class FolderFiles(Files):
    """The files of a folder of the local file system."""

    def __init__(self, root: Path, sizes: dict[str, int], problems: Problems) -> None:
        """Take the folder."""
        super().__init__(sizes, problems)
        self._root = root

    def bytes_of(self, path: str) -> bytes:
        """Read a file; refuses symbolic links."""
        with os.fdopen(os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read(self.sizes[path] + 1)

    def copy(self, path: str, to: Path) -> None:
        """Copy a file."""
        shutil.copyfile(self._root / path, to, follow_symlinks=False)

    def same(self, path: str, other: Path) -> bool:
        """Compare in chunks."""
        return filecmp.cmp(self._root / path, other, shallow=False)


def files_in(root: Path, problems: Problems) -> FolderFiles:
    """List the regular files below a folder, sorted; everything else is reported as a problem."""
    sizes: dict[str, int] = {}
    for count, (path, status) in enumerate(_entries(root, "", 0, problems)):
        if count >= MAX_LOOKED_AT:
            problems.append(f"The folder has more than {MAX_LOOKED_AT} files; the rest is left out.")
            break
        if status.st_size > MAX_FILE:
            most = MAX_FILE >> 20
            problems.append(
                f"{path}: it is left out, since it has {status.st_size >> 20} MB; files may have at most {most}."
            )
        else:
            sizes[path] = status.st_size
    return FolderFiles(root, sizes, problems)


def _entries(folder: Path, path: str, depth: int, problems: Problems) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        whole = f"{path}/{entry.name}" if path else entry.name
        if is_hidden(entry.name, path):
            continue
        if entry.is_symlink():
            problems.append(f"{shown(whole)}: it is left out, since it is a link to somewhere else.")
        elif not may_be_called(entry.name) or len(whole.encode()) > MAX_PATH:
            problems.append(f"{shown(whole)}: it is left out, since its name is not valid on every system.")
        elif entry.is_dir(follow_symlinks=False):
            if depth >= MAX_DEPTH:
                problems.append(f"{shown(whole)}: it is left out, since it is too deep inside other folders.")
            else:
                yield from _entries(folder / entry.name, whole, depth + 1, problems)
        else:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                yield whole, status


def is_hidden(name: str, folder: str) -> bool:
    """Return whether a file is not content: its name begins with a dot and it is not below `.gitbook`."""
    return name.startswith(".") and name not in KEPT_HIDDEN and ".gitbook" not in folder.split("/")


def may_be_called(name: str) -> bool:
    """Return whether a file of that name can be read."""
    return name in KEPT_HIDDEN or usable(name)


def shown(path: str) -> str:
    """Format a path for a sentence."""
    return path.encode("utf-8", "replace").decode("utf-8", "replace").translate(_CONTROLS)[:300]


_CONTROLS: Mapping[int, str] = dict.fromkeys((*range(32), 127), "?")
