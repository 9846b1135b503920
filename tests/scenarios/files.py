"""Files of spaces."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from tests.conftest import Answer
from tests.scenarios.answers import ok
from tests.scenarios.content import Space


def picture(width: int, height: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


def upload(space: Space, path: str, name: str, content: Any, **query: str) -> Answer:
    return space.api.call("POST", f"{path}/content/files", data=content, params={"name": name, **query})


def with_file(space: Space, name: str, content: bytes, **headers: str) -> dict[str, Any]:
    """Merge a file into a space; gives it as the space shows it."""
    path = space.change_request()
    made = ok(
        space.api.call("POST", f"{path}/content/files", data=content, params={"name": name}, headers=headers), 201
    )
    ok(space.api.post(f"{path}/merge"))
    shown: dict[str, Any] = ok(space.api.get(f"{space.path}/content/files/{made['id']}"))
    return shown
