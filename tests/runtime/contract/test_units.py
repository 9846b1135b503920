"""Numbers as people write them."""

from __future__ import annotations

import pytest

from runtime.contract.units import bytes_text, duration_text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0.0 ms"),
        (0.123, "0.12 ms"),
        (0.96, "1.0 ms"),
        (3.42, "3.4 ms"),
        (9.96, "10 ms"),
        (12.4, "12 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (1234, "1.2 s"),
        (30000, "30 s"),
    ],
)
def test_durations(milliseconds: float, text: str) -> None:
    assert duration_text(milliseconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1 KB"),
        (1536, "1.5 KB"),
        (12 * 1024 + 100, "12 KB"),
        (128 * 1024 * 1024, "128 MB"),
        (5 * 1024 * 1024 + 512 * 1024, "5.5 MB"),
        (1023 * 1024 * 1024, "1023 MB"),
        (50 * 1024 * 1024 * 1024, "50 GB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert bytes_text(size) == text
