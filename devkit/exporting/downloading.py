"""Writes the files of a revision into a folder, as the host lists them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from devkit.hosts import connections
from devkit.hosts.client import TIMEOUT, Client, HostUnreachable, part, reason
from devkit.terminal.output import Problem

_PIECE = 1 << 18


def files_of(client: Client, space: str, revision: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Ask for the files of a revision, some at a time; gives each with how many there are."""
    page = None
    while True:
        answer = client.call("GET", f"/v1/spaces/{part(space)}/revisions/{part(revision)}/folder", page=page)
        for file in answer["items"]:
            yield file, int(answer["count"])
        page = (answer.get("next") or {}).get("page")
        if page is None:
            return


class Folder:
    """A folder that is written into; nothing is ever written outside of it."""

    def __init__(self, path: Path, *, force: bool) -> None:
        """Make the folder; raises Problem for one that has something in it, unless that may stay."""
        self.path = path
        if path.exists() and not path.is_dir():
            raise Problem(f"{path} is a file; give a folder")
        if not force and path.exists() and any(path.iterdir()):
            raise Problem(f"{path} is not empty; give another folder, or --force to write over what is in it")
        path.mkdir(parents=True, exist_ok=True)
        self._root = path.resolve()
        self._session = connections.session()

    def write(self, file: dict[str, Any]) -> None:
        """Write one file: its text, or what is at its address."""
        at = self._place(str(file["path"]))
        if "text" in file:
            self._replace(at, iter([str(file["text"]).encode("utf-8", "replace")]))
            return
        try:
            with self._session.get(file["downloadURL"], stream=True, timeout=TIMEOUT) as answer:
                if answer.status_code != 200:
                    raise Problem(f"{file['path']} could not be downloaded: the host answered {answer.status_code}")
                self._replace(at, answer.iter_content(_PIECE))
        except requests.RequestException as error:
            raise HostUnreachable(f"{file['path']} could not be downloaded ({reason(error)})") from error

    def _place(self, path: str) -> Path:
        parts = path.split("/")
        bad = any(one in ("", ".", "..") or "\\" in one or ":" in one[1:2] for one in parts)
        at = self._root.joinpath(*parts) if not bad else self._root
        if bad or (self._root not in at.parent.resolve().parents and at.parent.resolve() != self._root):
            raise Problem(f"the host names a file outside of the folder: {path[:200]}")
        try:
            at.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(f"{at.parent} cannot be made: {error.strerror}") from error
        return at

    def _replace(self, at: Path, pieces: Iterator[bytes]) -> None:
        """Write a file whole or not at all; one that is a link is replaced, not followed."""
        beside = at.with_name(f".{at.name[:100]}.part")
        try:
            with beside.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
            beside.replace(at)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise Problem(f"{at} cannot be written: {error.strerror}") from error
