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


def test_serving_processes_choose_different_ones() -> None:
    allowed = os.sched_getaffinity(0)
    among = len(allowed)
    chosen = [_chosen(OneProcessor(place, among)) for place in range(among)]
    assert set().union(*chosen) == allowed
    assert all(len(one) == 1 for one in chosen)
    assert _chosen(OneProcessor(0, len(allowed) + 1)) == allowed


def _chosen(processor: OneProcessor) -> set[int]:
    def settled() -> set[int]:
        processor.settle()
        return os.sched_getaffinity(0)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(settled).result()
