"""Git objects: how they are named, read and written (gitformat-pack(5), git-hash-object(1))."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from runtime.engines.git_http import OID

TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
NUMBERS = {name: number for number, name in TYPES.items()}
FILE, EXECUTABLE, FOLDER, LINK, SUBMODULE = 0o100644, 0o100755, 0o40000, 0o120000, 0o160000


class BadObject(ValueError):
    """An object is malformed."""


class TreeEntry(NamedTuple):
    """One line of a tree."""

    name: bytes
    mode: int
    oid: str


def oid_of(kind: str, content: bytes) -> str:
    """Return an object's id, the hash of its kind and content."""
    return new_hash(kind, len(content), content).hexdigest()


def new_hash(kind: str, size: int, content: bytes = b"") -> hashlib._Hash:
    """Begin the hash of an object of a given size."""
    return hashlib.sha1(f"{kind} {size}\0".encode() + content, usedforsecurity=False)


def read_tree(content: bytes) -> list[TreeEntry]:
    """Parse a tree; raises BadObject."""
    entries: list[TreeEntry] = []
    place = 0
    while place < len(content):
        space = content.find(b" ", place, place + 8)
        end = content.find(b"\0", space)
        if space < 0 or end < 0 or end + 21 > len(content):
            raise BadObject("a tree ends too early")
        try:
            mode = int(content[place:space], 8)
        except ValueError:
            raise BadObject("a mode of a tree is not a number") from None
        entries.append(TreeEntry(content[space + 1 : end], mode, content[end + 1 : end + 21].hex()))
        place = end + 21
    return entries


def write_tree(entries: Iterable[TreeEntry]) -> bytes:
    """Serialize a tree, sorted as Git does: folders as if their names ended with a slash."""
    ordered = sorted(entries, key=lambda entry: entry.name + (b"/" if entry.mode == FOLDER else b""))
    return b"".join(b"%o %s\0%s" % (entry.mode, entry.name, bytes.fromhex(entry.oid)) for entry in ordered)


class Commit(NamedTuple):
    """The fields of a commit that are needed here."""

    tree: str
    message: str


def read_commit(content: bytes) -> Commit:
    """Read a commit; raises BadObject."""
    head, _, message = content.partition(b"\n\n")
    first = head.split(b"\n", 1)[0].decode("ascii", "replace").removeprefix("tree ")
    if not OID.fullmatch(first):
        raise BadObject("a commit has no tree")
    return Commit(first, message.decode("utf-8", "replace"))


def write_commit(tree: str, parents: Iterable[str], author: str, seconds: int, message: str) -> bytes:
    """Write a commit of an author, `Name <address>`, at a moment in seconds since 1970."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"{role} {author} {seconds} +0000" for role in ("author", "committer")]
    return ("\n".join(lines) + "\n\n" + message.rstrip("\n") + "\n").encode("utf-8", "replace")
