"""How large a picture is, which its first bytes say."""

from __future__ import annotations

import io
import struct
import time
from types import SimpleNamespace
from typing import cast

import pytest

from runtime.services.files import file_of
from runtime.store.blobs.store import Blob, BlobStore
from tests.scenarios.files import picture


def box(kind: bytes, content: bytes) -> bytes:
    """Write a box of the format that AVIF has."""
    return struct.pack(">I", 8 + len(content)) + kind + content


def avif(parts: int) -> bytes:
    """Draw 3 times 2 pixels, and name 65,535 empty extents for each of many parts."""
    size = box(b"iprp", box(b"ipco", box(b"ispe", struct.pack(">III", 0, 3, 2))))
    extents = b"".join(struct.pack(">HHH", part, 0, 65_535) for part in range(parts))
    places = box(b"iloc", b"\0\0\0\0\0\0" + struct.pack(">H", parts) + extents)
    return box(b"ftyp", b"avif\0\0\0\0avif") + box(b"meta", b"\0\0\0\0" + places + size)


@pytest.mark.parametrize(
    ("name", "content", "dimensions"),
    [
        ("a.png", picture(3, 2), {"width": 3, "height": 2}),
        ("a.gif", b"GIF89a\x03\x00\x02\x00\x00\x00\x00", {"width": 3, "height": 2}),
        ("a.avif", avif(300), {"width": 3, "height": 2}),  # which took seconds, and hundreds of megabytes
        ("a.pbm", b"P1\n" + b"0" * 1_000_000, None),  # no browser shows it, and reading it took 21 s
        ("a.png", b"P1\n3 2\n", None),
        ("a.png", b"", None),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='3' height='2'/>", None),
        ("a.txt", picture(3, 2), None),
    ],
)
def test_pictures_that_browsers_show_are_measured(name: str, content: bytes, dimensions: object) -> None:
    blobs = cast(BlobStore, SimpleNamespace(open=lambda blob: io.BytesIO(content)))
    begun = time.thread_time()
    assert file_of(blobs, Blob("blob", len(content)), name).dimensions == dimensions
    assert time.thread_time() - begun < 2
