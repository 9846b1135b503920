"""Creates the trees of a commit: those of its parent with some files changed and removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from runtime.engines.separate_process.answers import Refused
from runtime.services.git.objects import EXECUTABLE, FILE, FOLDER, TreeEntry, oid_of, read_tree, write_tree
from runtime.services.git.packs import Pack
from runtime.services.git.tree_files import GROUP_WRITABLE

_PLAIN = (FILE, EXECUTABLE, GROUP_WRITABLE)
Change = str | None
"""What becomes of a file: the name of its new content, or None where it goes."""


class Trees:
    """Changes trees; `made` has the new ones, by object id."""

    def __init__(self, pack: Pack | None) -> None:
        """Take the pack with the existing trees; None if there are none."""
        self._pack = pack
        self.made: dict[str, bytes] = {}

    def changed(self, tree: str | None, changes: Mapping[str, Change], folder: str = "") -> str | None:
        """Return a tree with the files at these paths changed; None if it would be empty.

        Raises Refused if a link, a submodule or a file has the path of a needed folder, or the other way round.
        """
        entries = {entry.name: entry for entry in self._read(tree)}
        inside: dict[bytes, dict[str, Change]] = {}
        for path, content in changes.items():
            first, slash, rest = path.partition("/")
            name = first.encode()
            there = entries.get(name)
            if slash:
                if there is not None and there.mode != FOLDER:
                    if content is None:
                        continue
                    raise _in_the_way(f"{folder}{first}")
                inside.setdefault(name, {})[rest] = content
            elif there is not None and there.mode not in _PLAIN:
                if content is not None:
                    raise _in_the_way(f"{folder}{first}")
            elif content is None:
                entries.pop(name, None)
            else:
                entries[name] = TreeEntry(name, there.mode if there is not None else FILE, content)
        for name, below in inside.items():
            old = entries[name].oid if name in entries else None
            new = self.changed(old, below, f"{folder}{name.decode('utf-8', 'replace')}/")
            if new is None:
                entries.pop(name, None)
            elif new != old:
                entries[name] = TreeEntry(name, FOLDER, new)
        if not entries and folder:
            return None
        written = write_tree(entries.values())
        oid = oid_of("tree", written)
        if oid != tree:
            self.made[oid] = written
        return oid

    def _read(self, tree: str | None) -> list[TreeEntry]:
        if tree is None or self._pack is None:
            return []
        return read_tree(self._pack.read(tree, "tree"))


def contents(commit: bytes, trees: Mapping[str, bytes], files: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """Yield all new objects that a pack of a commit needs, each with its kind."""
    yield "commit", commit
    for tree in trees.values():
        yield "tree", tree
    for path in files.values():
        yield "blob", path.read_bytes()


def _in_the_way(path: str) -> Refused:
    said = f"A link, a file or another repository is in the place of `{path[:300]}` in the repository; move it."
    return Refused("in_the_way", said)
