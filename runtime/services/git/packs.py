"""Packs: many Git objects in one file. Untrusted packs are read within limits, and objects are not kept in memory.

An object larger than `MAX_OBJECT` is known by size and id only; deltas based on it cannot be read.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from runtime.engines.separate_process.answers import Refused
from runtime.services.git.objects import NUMBERS, TYPES, BadObject, new_hash, oid_of

MAX_OBJECT = 100 * 1024 * 1024
MAX_OBJECTS = 1_000_000
MAX_KEPT = 64 * 1024 * 1024
"""Bytes of objects that are kept at hand, since others are differences of them."""
_OFFSET_DELTA, _REF_DELTA = 6, 7
_PIECE = 1 << 20


class _Entry(NamedTuple):
    number: int
    size: int
    start: int
    base: int | bytes | None


class Known(NamedTuple):
    """An object's metadata, known without reading it."""

    kind: str
    size: int
    offset: int


class Pack:
    """The objects of a pack, by id."""

    def __init__(self, path: Path) -> None:
        """Index a pack; raises Refused if it is malformed or too large."""
        self.objects: dict[str, Known] = {}
        self._entries: dict[int, _Entry] = {}
        self._oids: dict[int, str] = {}
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._kept_bytes = 0
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
        try:
            self._scan()
            self._name_deltas()
        except (BadObject, zlib.error, struct.error, IndexError) as error:
            self._data.close()
            said = str(error) or type(error).__name__
            raise Refused("broken_pack", f"The server sent invalid Git data: {said}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._data.close()

    def read(self, oid: str, kind: str) -> bytes:
        """Read an object; raises BadObject if it is missing, of another kind, or too large."""
        known = self.objects.get(oid)
        if known is None or known.kind != kind:
            raise BadObject(f"there is no {kind} {oid}")
        if known.size > MAX_OBJECT:
            raise BadObject(f"the {kind} {oid} is too large")
        return self._content(known.offset)

    def _scan(self) -> None:
        """Find the offset of each object and hash those that are not deltas."""
        magic, version, count = struct.unpack(">4sII", self._data[:12])
        if magic != b"PACK" or version not in (2, 3):
            raise BadObject("it is not a pack")
        if count > MAX_OBJECTS:
            raise Refused("too_large", f"The repository has more than {MAX_OBJECTS} objects at this commit.")
        place = 12
        for _ in range(count):
            entry = self._head(place)
            self._entries[place] = entry
            kind = TYPES.get(entry.number)
            digest = new_hash(kind, entry.size) if kind is not None else None
            size, end, fed = 0, entry.start, b""
            reader = zlib.decompressobj()
            while not reader.eof:
                if not fed:
                    fed = self._data[end : end + min(entry.size + 512, _PIECE)]
                    end += len(fed)
                    if not fed:
                        raise BadObject("an object is not terminated")
                piece = reader.decompress(fed, _PIECE)
                fed = reader.unconsumed_tail
                if digest is not None:
                    digest.update(piece)
                size += len(piece)
                if size > entry.size:
                    raise BadObject("an object is longer than declared")
            if size != entry.size:
                raise BadObject("an object does not have its declared size")
            if digest is not None and kind is not None:
                oid = digest.hexdigest()
                self._oids[place] = oid
                self.objects.setdefault(oid, Known(kind, entry.size, place))
            place = end - len(reader.unused_data)

    def _head(self, place: int) -> _Entry:
        start = place
        byte = self._data[place]
        number, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 0x80:
            place += 1
            byte = self._data[place]
            size |= (byte & 0x7F) << shift
            shift += 7
            if shift > 60:
                raise BadObject("a size is not terminated")
        place += 1
        if number == _OFFSET_DELTA:
            byte = self._data[place]
            back = byte & 0x7F
            while byte & 0x80:
                place += 1
                byte = self._data[place]
                back = (back + 1) << 7 | (byte & 0x7F)
                if back > len(self._data):
                    raise BadObject("a delta has no base")
            if not 0 < back < start:
                raise BadObject("a delta has no base")
            return _Entry(number, size, place + 1, start - back)
        if number == _REF_DELTA:
            return _Entry(number, size, place + 20, self._data[place : place + 20])
        if number not in TYPES:
            raise BadObject("an object has an unknown type")
        return _Entry(number, size, place, None)

    def _name_deltas(self) -> None:
        """Hash deltas, each after its base object."""
        on_offset: dict[int, list[int]] = {}
        on_oid: dict[bytes, list[int]] = {}
        for place, entry in self._entries.items():
            if isinstance(entry.base, int):
                on_offset.setdefault(entry.base, []).append(place)
            elif entry.base is not None:
                on_oid.setdefault(entry.base, []).append(place)

        def upon(place: int) -> list[int]:
            return [*on_offset.get(place, ()), *on_oid.get(bytes.fromhex(self._oids[place]), ())]

        todo = [(child, place) for place in [*self._oids] for child in upon(place)]
        while todo:
            place, base = todo.pop()
            if place in self._oids:
                continue
            kind = self.objects[self._oids[base]].kind
            size = self._delta_sizes(place)
            if size is None:
                continue
            content = self._content(place)
            oid = oid_of(kind, content)
            self._oids[place] = oid
            self.objects.setdefault(oid, Known(kind, len(content), place))
            todo += [(child, place) for child in upon(place)]

    def _delta_sizes(self, place: int) -> int | None:
        """Return the size of a delta's result; None if it or its base is too large to be read."""
        entry = self._entries[place]
        if entry.size > MAX_OBJECT:
            return None
        head = zlib.decompressobj().decompress(self._data[entry.start : entry.start + 4096], 24)
        base_size, after = _number(head, 0)
        size, _ = _number(head, after)
        return size if max(size, base_size) <= MAX_OBJECT else None

    def _content(self, place: int) -> bytes:
        """Read an object at an offset, resolving its chain of deltas."""
        chain: list[int] = []
        while place not in self._kept and self._entries[place].base is not None:
            chain.append(place)
            base = self._entries[place].base
            place = base if isinstance(base, int) else self._place_of(base)
            if len(chain) > 5000 or place not in self._entries:
                raise BadObject("a delta is based on itself, or on nothing")
        content = self._kept.get(place)
        if content is None:
            content = self._inflated(place)
            self._keep(place, content)
        for place in reversed(chain):
            content = _patched(content, self._inflated(place))
            self._keep(place, content)
        return content

    def _place_of(self, base: object) -> int:
        known = self.objects.get(base.hex()) if isinstance(base, bytes) else None
        if known is None:
            raise BadObject("the base of a delta is missing")
        return known.offset

    def _inflated(self, place: int) -> bytes:
        entry = self._entries[place]
        if entry.size > MAX_OBJECT:
            raise BadObject("an object is too large")
        end = entry.start + entry.size + (entry.size >> 8) + 4096
        return zlib.decompressobj().decompress(self._data[entry.start : end], entry.size + 1)[: entry.size]

    def _keep(self, place: int, content: bytes) -> None:
        if len(content) > MAX_KEPT // 4 or place in self._kept:
            return
        self._kept[place] = content
        self._kept_bytes += len(content)
        while self._kept_bytes > MAX_KEPT:
            _, gone = self._kept.popitem(last=False)
            self._kept_bytes -= len(gone)


def _number(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, place
        if shift > 60:
            raise BadObject("a size is not terminated")


def _patched(base: bytes, delta: bytes) -> bytes:
    """Apply a delta to its base object; raises BadObject."""
    base_size, place = _number(delta, 0)
    size, place = _number(delta, place)
    if base_size != len(base) or size > MAX_OBJECT:
        raise BadObject("a delta has another base size")
    parts: list[bytes] = []
    made = 0
    while place < len(delta):
        order = delta[place]
        place += 1
        if order & 0x80:
            start = length = 0
            for bit in range(4):
                if order >> bit & 1:
                    start |= delta[place] << 8 * bit
                    place += 1
            for bit in range(3):
                if order >> 4 + bit & 1:
                    length |= delta[place] << 8 * bit
                    place += 1
            part = base[start : start + (length or 0x10000)]
            if len(part) != (length or 0x10000):
                raise BadObject("a delta copies data that is not there")
        elif order:
            part = delta[place : place + order]
            place += order
        else:
            raise BadObject("a delta has an empty instruction")
        parts.append(part)
        made += len(part)
        if made > size:
            raise BadObject("a delta produces too much data")
    if made != size:
        raise BadObject("a delta produces too little data")
    return b"".join(parts)


def write_pack(path: Path, objects: Iterable[tuple[str, bytes]], count: int) -> None:
    """Write `count` objects, each with its kind, as a pack."""
    digest = hashlib.sha1(usedforsecurity=False)
    with path.open("wb") as file:

        def put(piece: bytes) -> None:
            digest.update(piece)
            file.write(piece)

        put(struct.pack(">4sII", b"PACK", 2, count))
        for kind, content in objects:
            size, head = len(content), bytearray()
            byte = NUMBERS[kind] << 4 | size & 15
            size >>= 4
            while size:
                head.append(byte | 0x80)
                byte, size = size & 0x7F, size >> 7
            head.append(byte)
            put(bytes(head))
            put(zlib.compress(content))
        file.write(digest.digest())
