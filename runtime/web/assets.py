"""Files of pages: read and compressed once, sent with a tag so that browsers load them again only when they changed."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Response, request

from runtime.contract import errors

STATIC = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The files that are sent, by the ends of their names; what a machine's own table says of a type may differ."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, or one page, as it is sent."""

    content: bytes
    compressed: bytes
    tag: str
    mimetype: str

    @classmethod
    def of(cls, content: bytes, mimetype: str) -> Asset:
        """Compress a content, and give it the tag that is its own."""
        # Without the time of the compression, so that every process of a host sends the same bytes.
        compressed = gzip.compress(content, 9, mtime=0)
        return cls(content, compressed, hashlib.sha256(content).hexdigest()[:32], mimetype)


@cache
def load(path: Path) -> Asset:
    """Read a file for as long as the process lives."""
    return Asset.of(path.read_bytes(), TYPES[path.suffix])


def serve(folder: Path, **headers: str) -> Callable[[str], Response]:
    """Return a view that sends the files below a folder, with these headers; raises NotFound for others.

    Only paths that were listed at the start are known, so that no request leads out of the folder.
    """
    known = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in TYPES}

    def view(file: str) -> Response:
        if file not in known:
            raise errors.NotFound(f"There is no file `{file[:60]}` here.")
        return send(load(known[file]), **headers)

    return view


def send(asset: Asset, **headers: str) -> Response:
    """Answer with it, compressed for who takes that; 304 where the asker has it. `_` in names of headers is `-`."""
    answer = Response(b"", 200, {name.replace("_", "-"): value for name, value in headers.items()})
    answer.mimetype = asset.mimetype
    answer.headers["Vary"] = "Accept-Encoding"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.set_etag(asset.tag)
    if asset.tag in request.if_none_match:
        answer.status_code = 304
    elif request.accept_encodings["gzip"] > 0:
        answer.headers["Content-Encoding"] = "gzip"
        answer.set_data(asset.compressed)
    else:
        answer.set_data(asset.content)
    return answer
