"""The files of a commit, read directly from a pack."""

from __future__ import annotations

import posixpath
from pathlib import Path

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.names import MAX_PATH
from runtime.services.folders.walking import (
    MAX_DEPTH,
    MAX_FILE,
    MAX_LOOKED_AT,
    Files,
    Problems,
    is_hidden,
    may_be_called,
    shown,
)
from runtime.services.git.objects import (
    EXECUTABLE,
    FILE,
    FOLDER,
    LINK,
    SUBMODULE,
    BadObject,
    TreeEntry,
    new_hash,
    read_tree,
)
from runtime.services.git.packs import Pack

GROUP_WRITABLE = 0o100664


class TreeFiles(Files):
    """Regular files below a folder of a tree; `oids` has their object ids. Everything else is reported and left out."""

    def __init__(self, pack: Pack, tree: str, folder: str) -> None:
        """List the files; raises Refused if the folder does not exist or a tree is malformed."""
        super().__init__({}, Problems())
        self._pack = pack
        self.oids: dict[str, str] = {}
        self._looked_at = 0
        at: str | None = tree
        for part in folder.split("/") if folder else ():
            entries = self._tree(at) if at is not None else []
            at = next((one.oid for one in entries if one.name == part.encode() and one.mode == FOLDER), None)
        if at is not None:
            self._list(at, "", 0)

    def _tree(self, oid: str) -> list[TreeEntry]:
        try:
            return read_tree(self._pack.read(oid, "tree"))
        except BadObject as error:
            raise Refused("broken_tree", f"The repository has a folder that cannot be read: {error}.") from None

    def _list(self, tree: str, path: str, depth: int) -> None:
        for entry in self._tree(tree):
            self._looked_at += 1
            if self._looked_at > MAX_LOOKED_AT:
                if self._looked_at == MAX_LOOKED_AT + 1:
                    self.problems.append(f"The folder has more than {MAX_LOOKED_AT} files; the rest is left out.")
                return
            self._take(entry, path, depth)

    def _take(self, entry: TreeEntry, path: str, depth: int) -> None:
        name = entry.name.decode("utf-8", "replace")
        whole = posixpath.join(path, name)
        if is_hidden(name, path):
            return
        problem = None
        if entry.mode == LINK:
            problem = "it is a link to somewhere else"
        elif entry.mode == SUBMODULE:
            problem = "it is another repository (a submodule)"
        elif not may_be_called(name) or name.encode() != entry.name:
            problem = "its name is not valid on every system"
        elif len(whole.encode()) > MAX_PATH or depth >= MAX_DEPTH:
            problem = "it is too deep inside other folders"
        elif entry.mode == FOLDER:
            self._list(entry.oid, whole, depth + 1)
            return
        elif entry.mode in (FILE, EXECUTABLE, GROUP_WRITABLE):
            known = self._pack.objects.get(entry.oid)
            if known is not None and known.kind == "blob" and known.size <= MAX_FILE:
                self.sizes[whole], self.oids[whole] = known.size, entry.oid
                return
            problem = f"files have at most {MAX_FILE >> 20} MB"
        else:
            problem = "it is not a regular file"
        self.problems.append(f"{shown(whole)}: it is left out, since {problem}.")

    def bytes_of(self, path: str) -> bytes:
        """Read a file; raises OSError."""
        try:
            return self._pack.read(self.oids[path], "blob")
        except BadObject as error:
            raise OSError(str(error)) from None

    def copy(self, path: str, to: Path) -> None:
        """Write the bytes of a file to another place."""
        to.write_bytes(self.bytes_of(path))

    def same(self, path: str, other: Path) -> bool:
        """Compare by object ids."""
        size = other.stat().st_size
        if size != self.sizes[path]:
            return False
        digest = new_hash("blob", size)
        with other.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest() == self.oids[path]
