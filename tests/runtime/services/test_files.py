"""How large a picture is, which its first bytes say."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace
from typing import cast

import pytest

from runtime.services.files import file_of
from runtime.store.blobs.store import Blob, BlobStore
from tests.scenarios.files import picture


@pytest.mark.parametrize(
    ("name", "content", "dimensions"),
    [
        ("a.png", picture(3, 2), {"width": 3, "height": 2}),
        ("a.gif", b"GIF89a\x03\x00\x02\x00\x00\x00\x00", {"width": 3, "height": 2}),
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
