"""Packs as another program writes them, and spoiled ones."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import Blob, ShaFile
from dulwich.pack import Pack as TheirPack
from dulwich.pack import PackData, write_pack_objects
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.engines.separate_process.answers import Refused
from runtime.services.git import packs
from runtime.services.git.commits import Trees
from runtime.services.git.objects import BadObject, TreeEntry, oid_of, read_commit, read_tree, write_commit, write_tree
from runtime.services.git.packs import Pack, write_pack

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def theirs(path: Path, objects: list[ShaFile], *, deltify: bool) -> None:
    with path.open("wb") as file:
        write_pack_objects(
            file.write, [(one, None) for one in objects], deltify=deltify, object_format=DEFAULT_OBJECT_FORMAT
        )


@settings(deadline=None, max_examples=60, suppress_health_check=SLOW)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=6), st.booleans())
def test_every_object_is_read(tmp_path: Path, contents: list[bytes], deltify: bool) -> None:
    blobs = {
        blob.id: blob for content in contents for blob in (Blob.from_string(content * 20), Blob.from_string(content))
    }
    path = tmp_path / "one.pack"
    theirs(path, [*blobs.values()], deltify=deltify)
    with Pack(path) as pack:
        assert set(pack.objects) == {oid.decode() for oid in blobs}
        for oid, blob in blobs.items():
            assert pack.read(oid.decode(), "blob") == blob.data
        with pytest.raises(BadObject):
            pack.read("0" * 40, "blob")


@settings(deadline=None, max_examples=200, suppress_health_check=SLOW)
@given(st.data())
def test_a_spoiled_pack_is_refused_or_read(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "spoiled.pack"
    theirs(path, [Blob.from_string(b"some text that is long enough " * size) for size in (1, 5, 9)], deltify=True)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(1, len(content)))])
    try:
        with Pack(path) as pack:
            for oid, known in pack.objects.items():
                assert oid_of(known.kind, pack.read(oid, known.kind)) == oid
    except Refused:
        pass


def entry(number: int, size: int, rest: bytes) -> bytes:
    head = bytearray()
    byte, size = number << 4 | size & 15, size >> 4
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes([*head, byte]) + rest


def pack_of(path: Path, *entries: bytes, count: int | None = None) -> Path:
    path.write_bytes(
        struct.pack(">4sII", b"PACK", 2, len(entries) if count is None else count) + b"".join(entries) + b"\0" * 20
    )
    return path


def test_what_would_grow_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pack"
    for broken in (
        pack_of(path, count=packs.MAX_OBJECTS + 1),
        pack_of(path, entry(3, 5, zlib.compress(b"\0" * 50_000_000))),
        pack_of(path, entry(3, 50_000_000, zlib.compress(b"\0"))),
        pack_of(path, entry(3, 1 << 63, zlib.compress(b""))),
        pack_of(path, entry(6, 4, b"\x7f" + zlib.compress(b"abcd"))),
        pack_of(path, entry(0, 1, zlib.compress(b"a"))),
    ):
        with pytest.raises(Refused):
            Pack(broken)


def test_a_difference_that_makes_more_than_it_may_is_not_known(tmp_path: Path) -> None:
    base = b"\0" * 60_000
    sizes = bytes([0xE0, 0xD4, 0x03]) + bytes([0x80, 0x80, 0x80, 0x80, 0x10])  # of 60,000 bytes, four gigabytes
    delta = sizes + bytes([0b10110000, 0x60, 0xEA]) * 1000
    first = entry(3, len(base), zlib.compress(base))
    second = entry(6, len(delta), bytes([len(first)]) + zlib.compress(delta))
    with Pack(pack_of(tmp_path / "a.pack", first, second)) as pack:
        assert [known.size for known in pack.objects.values()] == [len(base)]


def test_a_difference_of_itself_is_not_known(tmp_path: Path) -> None:
    delta = bytes([1, 1, 1, 65])
    oid = bytes.fromhex(oid_of("blob", b"A"))
    with Pack(pack_of(tmp_path / "a.pack", entry(7, len(delta), oid + zlib.compress(delta)))) as pack:
        assert pack.objects == {}


def test_they_read_what_is_written_here(tmp_path: Path) -> None:
    blob = b"text"
    tree = write_tree(
        [TreeEntry(b"a", 0o100644, oid_of("blob", blob)), TreeEntry(b"a.md", 0o100644, oid_of("blob", blob))]
    )
    commit = write_commit(oid_of("tree", tree), [], "Someone <a@b>", 1, "Words\n")
    write_pack(tmp_path / "pack-x.pack", [("commit", commit), ("tree", tree), ("blob", blob)], 3)
    with PackData(str(tmp_path / "pack-x.pack"), object_format=DEFAULT_OBJECT_FORMAT) as data:
        data.check()
        data.create_index(str(tmp_path / "pack-x.idx"))
    with TheirPack(str(tmp_path / "pack-x"), object_format=DEFAULT_OBJECT_FORMAT) as pack:
        assert pack[oid_of("commit", commit).encode()].message == b"Words\n"
        assert {one.path for one in pack[oid_of("tree", tree).encode()].items()} == {b"a", b"a.md"}
    assert read_commit(commit).tree == oid_of("tree", tree)


def test_trees_are_changed_where_they_may_be() -> None:
    trees = Trees(None)
    one, two = oid_of("blob", b"1"), oid_of("blob", b"2")
    first = trees.changed(None, {"a/b/c.md": one, "d.md": one})
    assert first is not None
    assert [entry.name for entry in read_tree(trees.made[first])] == [b"a", b"d.md"]
    assert trees.changed(None, {"a.md": None}) == oid_of("tree", b"")
    again = Trees(None).changed(None, {"d.md": one, "a/b/c.md": one})
    assert again == first and two != one
