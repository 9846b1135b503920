"""Threads that answer share a processor; nothing else does."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime.api.one_processor import OneProcessor

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system gives no such choice")


def test_all_threads_that_answer_share_one() -> None:
    processor, together = OneProcessor(), threading.Barrier(4, timeout=10)

    def answer() -> frozenset[int]:
        together.wait()
        processor.settle()
        return frozenset(os.sched_getaffinity(0))

    with ThreadPoolExecutor(4) as threads:
        seen = {threads.submit(answer) for _ in range(4)}
        found = {one.result() for one in seen}
    assert len(found) == 1
    assert len(next(iter(found))) == 1


def test_the_main_thread_stays_free() -> None:
    before = os.sched_getaffinity(0)
    OneProcessor().settle()
    assert os.sched_getaffinity(0) == before
