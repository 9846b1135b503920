"""Answers of other servers in pieces of a sensible size: each line of HTTP costs more to read than its content."""

from __future__ import annotations

import http.client
from typing import Any

LINES = 20_000
"""Lines of status, headers, chunks and trailers that an answer may have, whatever is in it."""
BYTES = 64
"""Of content, for each line beyond."""


class FragmentedResponse(http.client.HTTPException):
    """An answer comes in millions of pieces, which would keep the host busy for each of its bytes."""

    def __init__(self) -> None:
        super().__init__("the answer comes in chunks of a few bytes")


class _Counted:
    """What an answer is read from, with its lines counted."""

    def __init__(self, file: Any) -> None:
        self._file, self._left = file, LINES * BYTES

    def readline(self, size: int = -1, /) -> bytes:
        line: bytes = self._file.readline(size)
        self._left -= BYTES
        if self._left < 0:
            raise FragmentedResponse
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        content: bytes = self._file.read(size)
        self._left += len(content)
        return content

    def read1(self, size: int = -1, /) -> bytes:
        content: bytes = self._file.read1(size)
        self._left += len(content)
        return content

    def readinto(self, buffer: Any, /) -> int:
        size: int = self._file.readinto(buffer)
        self._left += size
        return size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class BufferedResponse(http.client.HTTPResponse):
    """An answer of HTTP that raises `FragmentedResponse` where it has too many lines for what is in it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fp: Any = _Counted(self.fp)
