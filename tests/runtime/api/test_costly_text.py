"""Who asks for a costly text again and again takes no more of the host than a part of its time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from runtime.api.costly_text import AT_ONCE, SHARE, CostlyText

EACH = 0.25
"""Seconds of processor time that the text takes here."""


def test_readers_who_ask_all_the_time_get_what_was_written_last() -> None:
    numbers = count()

    def write() -> bytes:
        until = time.thread_time() + EACH
        while time.thread_time() < until:
            pass
        return str(next(numbers)).encode()

    text = CostlyText(write)
    assert [text.read(), text.read(), text.read()] == [b"0", b"1", b"2"]
    began = time.monotonic()
    read = {text.read() for _ in range(2000)}
    took = time.monotonic() - began
    assert len(read) <= AT_ONCE / EACH + took * SHARE / EACH + 1
    last = text.read()
    until = time.monotonic() + 60
    while text.read() == last and time.monotonic() < until:
        time.sleep(0.1)
    assert text.read() != last


def test_those_who_wait_share_what_is_written() -> None:
    written = count()

    def write() -> bytes:
        time.sleep(0.1)
        return b"%d" % next(written)

    text = CostlyText(write)
    with ThreadPoolExecutor(20) as pool:
        read = [*pool.map(lambda _: text.read(), range(20))]
    assert len(set(read)) <= 3


def test_a_text_that_cannot_be_written_is_tried_again() -> None:
    tried = count()

    def write() -> bytes:
        if not next(tried):
            raise ValueError
        return b"text"

    text = CostlyText(write)
    with pytest.raises(ValueError):
        text.read()
    assert text.read() == b"text"
