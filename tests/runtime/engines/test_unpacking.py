"""Bodies that servers pack unasked: read whole, and never larger than they may be."""

from __future__ import annotations

import gzip
import zlib

import pytest

from runtime.engines.egress import FetchedResponse, FetchFailed
from runtime.engines.unpacking import MAX_MEMBERS, unpacked


def read(encoding: str, body: bytes, most: int = 1000) -> bytes:
    return unpacked(FetchedResponse(200, [("Content-Encoding", encoding)], body), most)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("identity", b"one two"),
        ("gzip", gzip.compress(b"one two")),
        (" X-GZip", gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two") + b"\x00" * 512),
        ("deflate", zlib.compress(b"one two")),
        ("deflate", zlib.compress(b"one two")[2:-4]),
    ],
)
def test_a_body_is_what_it_was_before(encoding: str, body: bytes) -> None:
    assert read(encoding, body) == b"one two"


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [
        ("br", b"x", "compressed as `br`"),
        ("gzip, gzip", b"x", "compressed as `gzip, gzip`"),
        ("gzip", b"text", "claims to be gzip, but is not"),
        ("deflate", b"\xff", "claims to be deflate, but is not"),
        ("gzip", gzip.compress(b"one")[:-8] + bytes(8), "claims to be gzip, but is not"),
        ("gzip", gzip.compress(b"one")[:-3], "is incomplete"),
        ("gzip", gzip.compress(b"one") + gzip.compress(b"two")[:-3], "is incomplete"),
        ("gzip", gzip.compress(bytes(1001)), "larger than 1000 bytes"),
        ("gzip", gzip.compress(bytes(600)) * 2, "larger than 1000 bytes"),
        ("deflate", zlib.compress(bytes(50 << 20)), "larger than 1000 bytes"),
        ("gzip", gzip.compress(b"") * (MAX_MEMBERS + 1), "parts"),
    ],
)
def test_what_cannot_be_unpacked_is_said(encoding: str, body: bytes, said: str) -> None:
    with pytest.raises(FetchFailed, match=said):
        read(encoding, body)
    assert read(encoding, b"") == b""


def test_as_much_as_it_may_be_is_read() -> None:
    assert len(read("gzip", gzip.compress(bytes(500)) * 2)) == 1000
