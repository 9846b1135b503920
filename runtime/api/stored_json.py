"""Answers whose JSON is stored as it is sent: it is not parsed again, and large answers are streamed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from flask import Response

from runtime.api.request_capacity import RequestCapacity

AT_ONCE = 1 << 20
"""Bytes that are sent at once; a larger answer takes one of the slots for streams."""
PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class StoredJson:
    """A JSON text, which begins and ends with bytes of ours around `size` stored ones."""

    before: bytes
    stored: BinaryIO
    size: int
    after: bytes

    def response(self, capacity: RequestCapacity, owner: str, part: str) -> Response:
        """Return it to Flask; raises Unavailable while too much is sent."""
        if self.size <= AT_ONCE:
            with self.stored:
                return Response(self.before + self.stored.read() + self.after, 200, mimetype="application/json")
        try:
            body = capacity.stream(owner, self._pieces, part)
        except BaseException:
            self.stored.close()
            raise
        response = Response(body, 200, mimetype="application/json")
        response.call_on_close(self.stored.close)
        response.content_length = len(self.before) + self.size + len(self.after)
        return response

    def _pieces(self) -> Iterator[bytes]:
        yield self.before
        while piece := self.stored.read(PIECE):
            yield piece
        yield self.after
