"""Files that are sent in pieces: whoever does not read one keeps neither the file open nor a stream of its owner."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, cast

import pytest
from flask import Flask

from runtime.api.host import Host
from runtime.api.request_capacity import RequestCapacity
from runtime.contract import errors
from runtime.web.files import WHOLE, answer_with

SIZE = 2 * WHOLE


class Blobs:
    """Blobs in a folder, which remember what they opened."""

    def __init__(self, folder: Path) -> None:
        self.opened: list[BinaryIO] = []
        self._folder = folder
        (folder / "blob").write_bytes(b"x" * SIZE)

    def open(self, name: str, start: int = 0) -> BinaryIO:
        stream = (self._folder / name).open("rb")
        stream.seek(start)
        self.opened.append(stream)
        return stream


def test_a_stream_that_nobody_reads_ends_with_its_answer(tmp_path: Path) -> None:
    blobs, capacity = Blobs(tmp_path), RequestCapacity(16)
    host = cast(Host, SimpleNamespace(blobs=blobs, capacity=capacity))
    with Flask(__name__).test_request_context():
        answer = answer_with(host, "owner", "blob", SIZE, "a.bin", "application/octet-stream")
        assert capacity.streams.held("owner") == (1, 0)
        with pytest.raises(errors.Unavailable):  # the other stream is kept for others
            answer_with(host, "owner", "blob", SIZE, "a.bin", "application/octet-stream")
        assert [stream.closed for stream in blobs.opened] == [False, True]
        answer.close()
        assert (capacity.streams.held("owner"), blobs.opened[0].closed) == ((0, 0), True)
        begun = answer_with(host, "owner", "blob", SIZE, "a.bin", "application/octet-stream")
        pieces = begun.iter_encoded()
        assert next(pieces) and capacity.streams.held("owner") == (1, 0)
        begun.close()
        assert (capacity.streams.held("owner"), blobs.opened[2].closed) == ((0, 0), True)
