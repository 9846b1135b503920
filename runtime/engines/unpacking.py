"""Unpacks what servers pack although nobody asked for it: objects of a store may be kept packed, and are sent so."""

from __future__ import annotations

import zlib

from runtime.engines.egress import FetchedResponse, FetchFailed

PACKED = ("gzip", "x-gzip", "deflate")
"""Encodings of bodies that are unpacked."""
MAX_MEMBERS = 10_000
"""Parts of one body: what is packed with gzip may be several files of gzip, one after the other."""
_GZIP, _ZLIB, _BARE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 16


def unpacked(answer: FetchedResponse, max_bytes: int) -> bytes:
    """Return a body as it was before it was packed, at most `max_bytes`; raises FetchFailed."""
    encoding = next((value for name, value in answer.headers if name.lower() == "content-encoding"), "").strip().lower()
    if encoding in ("", "identity") or not answer.body:
        return answer.body
    if encoding not in PACKED:
        raise FetchFailed(f"The answer is compressed as `{encoding[:40]}`, which is not supported; only gzip is.")
    form = _GZIP if encoding != "deflate" else _ZLIB if _has_header(answer.body) else _BARE
    body, at = bytearray(), 0
    for _ in range(MAX_MEMBERS):
        try:
            at = _unpack_member(answer.body, at, form, body, max_bytes)
        except zlib.error:
            raise FetchFailed(f"The answer claims to be {encoding}, but is not.") from None
        if form != _GZIP or answer.body[at : at + len(_MAGIC)] != _MAGIC:
            return bytes(body)
    raise FetchFailed(f"The answer is compressed in more than {MAX_MEMBERS} parts.")


def _unpack_member(packed: bytes, at: int, form: int, body: bytearray, max_bytes: int) -> int:
    """Add what one part holds to a body and tell where the part ends; raises FetchFailed, zlib.error."""
    unpacking = zlib.decompressobj(form)
    while not unpacking.eof:
        piece = packed[at : at + _PIECE]
        if not piece:
            raise FetchFailed("The compressed answer is incomplete.")
        body += unpacking.decompress(piece, max_bytes + 1 - len(body))
        if len(body) > max_bytes:
            raise FetchFailed(f"The decompressed answer is larger than {max_bytes} bytes.", too_large=True)
        at += len(piece) - len(unpacking.unused_data)
    return at


def _has_header(body: bytes) -> bool:
    """Whether a body packed with `deflate` begins as zlib's do (RFC 1950, section 2.2): some servers leave that out."""
    return body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
