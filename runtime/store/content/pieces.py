"""Lists of entries as pieces that revisions share: a change creates one new piece, wherever it is.

A piece ends after an entry whose id says so, not after a number of them (content-defined chunking): insertions and
removals do not shift other pieces. Pieces and documents are named by their content, so equal ones are stored once.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from runtime.contract.json_parts import decode_json
from runtime.store.content.entries import Entry

E = TypeVar("E", bound=Entry)

AVERAGE_ENTRIES = 32
"""How many entries a piece has, on average."""
MAX_ENTRIES = 4 * AVERAGE_ENTRIES
NAME_BYTES = 20
"""How many bytes the name of a piece has."""
_HALF, _REPLACED = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]"), "\ufffd".encode()


def pack(value: Any) -> tuple[bytes, bytes]:
    """Write a JSON value as it is stored; returns its name and its bytes."""
    content = _written(value)
    return _name(content), zlib.compress(content, 6)


def digest_of(value: Any) -> bytes:
    """Return the name under which a JSON value is stored."""
    return _name(_written(value))


def _written(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "surrogatepass")


def _name(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=NAME_BYTES).digest()


def unpack(content: bytes) -> Any:
    """Read what `pack` wrote."""
    return decode_json(_sound(zlib.decompress(content)))


def unpack_sized(content: bytes) -> tuple[Any, int]:
    """Read what `pack` wrote, and give its size as JSON, in bytes."""
    text = zlib.decompress(content)
    return decode_json(_sound(text)), len(text)


def unpack_within(content: bytes, most: int) -> tuple[Any, int] | None:
    """Read what `pack` wrote, with how many bytes it has as JSON; None, without reading it, for more than `most`."""
    text = zlib.decompressobj().decompress(content, max(0, most) + 1)
    return (decode_json(_sound(text)), len(text)) if len(text) <= most else None


def _sound(text: bytes) -> bytes:
    """Replace halves of surrogate pairs, as earlier releases stored them: no answer can be sent with one."""
    return _HALF.sub(_REPLACED, text) if b"\xed" in text else text


class Packed(Sequence[Any]):
    """JSON values that are stored compressed: each is decompressed on access, and not cached."""

    def __init__(self, packed: Iterable[bytes] = ()) -> None:
        """Take the bytes that `pack` gave for each."""
        self._packed = list(packed)

    def __len__(self) -> int:
        return len(self._packed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and self._packed == other._packed

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, place: Any) -> Any:
        found = self._packed[place]
        return Packed(found) if isinstance(found, list) else unpack(found)


def split(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Split a list into pieces."""
    piece: list[Entry] = []
    for entry in entries:
        piece.append(entry)
        if zlib.crc32(entry.id.encode()) % AVERAGE_ENTRIES == 0 or len(piece) == MAX_ENTRIES:
            yield piece
            piece = []
    if piece:
        yield piece


def to_pieces(
    entries: Sequence[Entry], before: Sequence[Entry] = (), list_before: bytes = b""
) -> tuple[bytes, dict[bytes, bytes]]:
    """Write a list; returns the names of its pieces, one behind the other, and those that are new, by their names.

    `before` is a list that is stored already, with its names: unchanged pieces are not written again.
    """
    # By the first of each: entries never change, so that comparing pieces mostly compares the same objects.
    stored = {piece[0].id: (piece, name) for piece, name in zip(split(before), names_of(list_before), strict=True)}
    names: list[bytes] = []
    new: dict[bytes, bytes] = {}
    for piece in split(entries):
        same, name = stored.get(piece[0].id, ([], b""))
        if same != piece:
            name, content = pack([entry.to_json() for entry in piece])
            new[name] = content
        names.append(name)
    return b"".join(names), new


def names_of(list_: bytes) -> list[bytes]:
    """Return the names of a list's pieces."""
    return [list_[place : place + NAME_BYTES] for place in range(0, len(list_), NAME_BYTES)]
