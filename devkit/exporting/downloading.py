"""Writes the files of a revision into a folder, as the host lists them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import requests
import yaml

from devkit.hosts import connections, response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import TIMEOUT, Client, HostUnreachable, TooMuch, part, reason
from devkit.hosts.distances import Distance
from devkit.hosts.named_addresses import opened
from devkit.terminal.output import Problem, warn

_PIECE = 1 << 18
LISTING = response_shapes.page_of(response_shapes.FILE, count=response_shapes.whole)
LONGEST_FILE = 3600
"""Seconds that a file takes."""
MOST_FILES = 200_000
MOST_BYTES = 100 * 1024**3
"""Bytes of all files of an export: several times as many as spaces have."""
LONGEST = 2 * 24 * 3600.0
"""Seconds that an export takes."""
CONFIGURATION = ".gitbook.yaml"
BESIDE = (".git", CONFIGURATION)
"""What may be in a folder that counts as empty: nothing is written over it."""
MAX_CONFIGURATION = 100_000
"""Bytes of it."""


def files_of(client: Client, space: str, revision: str, folder: Folder) -> Iterator[tuple[dict[str, Any], int]]:
    """Ask for the files of a revision, some at a time, for a folder; gives each file with the number of all files.

    Raises Problem, also once there are more than any space has.
    """
    path = f"/v1/spaces/{part(space)}/revisions/{part(revision)}/folder"
    configuration: Mapping[str, Any] = folder.configuration()
    for answer in client.pages(path, shape=LISTING, budget=folder.budget, **configuration):
        for file in answer["items"]:
            yield file, int(answer["count"])


class Folder:
    """A folder that is written into; nothing is ever written outside of it."""

    def __init__(self, path: Path, *, force: bool) -> None:
        """Make the folder; raises Problem for one that has something in it, unless that may stay."""
        self.path = path
        if path.exists() and not path.is_dir():
            raise Problem(f"{path} is a file", hint="give a folder")
        if not force and path.exists() and any(one.name not in BESIDE for one in path.iterdir()):
            raise Problem(f"{path} is not empty", hint="give another folder, or --force to write over what is in it")
        path.mkdir(parents=True, exist_ok=True)
        self._root = path.resolve()
        self._session = connections.session()
        self._named: set[str] = set()
        self.budget = Budget(MOST_FILES, MOST_BYTES, LONGEST)
        """What a host may list and send."""

    def configuration(self) -> dict[str, str]:
        """Read `root`, `readme` and `summary`, as far as `.gitbook.yaml` sets them; raises Problem."""
        file = self._root / CONFIGURATION
        if file.is_symlink() or not file.is_file():
            return {}
        try:
            with file.open("rb") as content:
                text = content.read(MAX_CONFIGURATION + 1)
            if len(text) > MAX_CONFIGURATION:
                raise Problem(
                    f"{self.path}/{CONFIGURATION} has more than {MAX_CONFIGURATION:,} bytes", hint="shorten it"
                )
            said = yaml.safe_load(text)
        except (OSError, yaml.YAMLError, RecursionError, ValueError) as error:
            first = str(error).partition("\n")[0]
            raise Problem(
                f"{self.path}/.gitbook.yaml cannot be read ({first})", hint="correct it, or remove it"
            ) from error
        said = said if isinstance(said, dict) else {}
        structure = said.get("structure")
        named = structure if isinstance(structure, dict) else {}
        values = {"root": said.get("root"), "readme": named.get("readme"), "summary": named.get("summary")}
        return {name: value for name, value in values.items() if isinstance(value, str) and value}

    def write(self, file: dict[str, Any], distance: Distance | None) -> bool:
        """Write one file: its text, or what is at its address, unless that is nearer than `distance`, the host's.

        What other programs may take for their settings is left out, with a warning and False; raises Problem.
        """
        path = str(file["path"])
        if path in self._named:
            raise Problem(f"the host sent two files named {path[:200]}", hint="ask whoever runs the host")
        self._named.add(path)
        if _is_run(path.split("/")):
            warn(f"{path[:200]} was left out: Git, an editor or a shell may take it for settings that name programs")
            return False
        try:
            at = self._place(path)
        except OSError as error:  # a name that is too long
            raise Problem(f"{path[:200]} cannot be written: {error.strerror}") from error
        if at is None:
            return False
        if at == self._root / CONFIGURATION and at.exists():
            return True  # what somebody wrote says where everything is
        if file.get("text") is not None:
            self._replace(at, iter([str(file["text"]).encode("utf-8", "replace")]))
            return True
        try:
            address = str(file.get("downloadURL"))
            with opened(self._session, "GET", address, distance, LONGEST_FILE, timeout=TIMEOUT) as answer:
                if answer.is_redirect:
                    raise Problem(
                        f"{file['path']} could not be downloaded: the host redirects to another address, which is not "
                        "followed"
                    )
                if answer.status_code != 200:
                    raise Problem(f"{file['path']} could not be downloaded: the host answered {answer.status_code}")
                self._replace(at, self._counted(path, _announced(file, answer.iter_content(_PIECE))))
        except requests.RequestException as error:
            raise HostUnreachable(f"{file['path']} could not be downloaded ({reason(error)})") from error
        return True

    def _counted(self, path: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Give the bytes of a file as they arrive; raises TooMuch where an export has more than any space has."""
        for piece in pieces:
            if spent := self.budget.spend(len(piece), 0):
                raise TooMuch(f"the export ends at {path}: the host sent {spent}", hint=f"see what is in {self.path}")
            yield piece

    def _place(self, path: str) -> Path | None:
        """Return where a file goes; None, with a warning, if a link on the way leads to a hidden folder."""
        parts = path.split("/")
        bad = any(one in ("", ".", "..") or "\\" in one or ":" in one[1:2] for one in parts)
        at = self._root.joinpath(*parts) if not bad else self._root
        if bad or (self._root not in at.parent.resolve().parents and at.parent.resolve() != self._root):
            raise Problem(f"the host sent a path outside of the folder: {path[:200]}")
        # Of what is there, the system knows the names: some have a second one, and `notes` may be a link to `.vscode`.
        real = at.parent.resolve() / at.name if at.is_symlink() or not at.exists() else at.resolve()
        if _is_run([*real.relative_to(self._root).parts]):
            warn(f"{path[:200]} was left out: the folder has something there that leads to settings of a program")
            return None
        try:
            at.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(f"{at.parent} cannot be made: {error.strerror}") from error
        return at

    def _replace(self, at: Path, pieces: Iterator[bytes]) -> None:
        """Write a file whole or not at all; one that is a link is replaced, not followed."""
        beside = at.with_name(f".{at.name[:100]}.part")
        try:
            beside.unlink(missing_ok=True)  # an old file, or a link that somebody put there
            with beside.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
            beside.replace(at)
        except OSError as error:
            raise Problem(f"{at} cannot be written: {error.strerror}") from error
        finally:
            beside.unlink(missing_ok=True)


def _is_run(parts: list[str]) -> bool:
    """Return whether Git, an editor or a shell takes a file for settings, in which programs to run are named.

    A folder with a file `HEAD` may be a repository by itself (gitrepository-layout(5)).
    """
    # Some file systems see no difference between `.git` and the same with invisible letters, a point or a stream.
    names = [
        "".join(sign for sign in part if unicodedata.category(sign)[0] != "C").partition(":")[0].rstrip(". ").lower()
        for part in parts
    ]
    # Only so written they belong to the format; in another spelling they may lead to the file that somebody wrote.
    others = [name for name, part in zip(names, parts, strict=True) if part not in (".gitbook", CONFIGURATION)]
    inside = ".gitbook" in parts[:-1]
    hidden = any(one.startswith(".") for one in others)
    git = any(one.startswith((".git", "git~")) for one in others)
    return git or names[-1] == "head" or (hidden and not inside)


def _announced(file: Mapping[str, Any], pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Give the bytes of a file as they arrive; raises Problem where they are more than the host has said."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > file["size"]:
            raise Problem(
                f"{file['path']} could not be downloaded: the host sent more than the {file['size']} bytes it announced"
            )
        yield piece
