"""Long work of one organization is done two at a time; short work waits for nobody."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack

import pytest

from runtime.engines.costly_turns import COSTLY, CostlyTurns
from runtime.engines.shares import NoneLeft


def compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_short_work_waits_for_nobody() -> None:
    turns = CostlyTurns(waiting=0)
    with ExitStack() as held:
        for _ in range(20):
            held.enter_context(turns.turn("one", "page"))


def test_work_that_is_known_to_be_long_is_bounded_from_the_first() -> None:
    turns = CostlyTurns(waiting=0)
    with turns.turn("one", "page", long=True), turns.turn("one", "page", long=True):
        with pytest.raises(NoneLeft), turns.turn("one", "page", long=True):
            pass
        with turns.turn("one", "page"), turns.turn("other", "page", long=True):
            pass


def test_long_work_is_done_two_at_a_time() -> None:
    turns = CostlyTurns(waiting=1)
    for _ in range(2):  # the first may have loaded something
        with turns.turn("one", "page"):
            compute(COSTLY * 1.5)
    done = threading.Event()

    def later() -> None:
        with turns.turn("one", "page"):
            done.set()

    with turns.turn("other", "page"), ExitStack() as held:
        held.enter_context(turns.turn("one", "page"))
        with turns.turn("one", "page"):
            waits = threading.Thread(target=later)
            waits.start()
            time.sleep(0.1)
            assert not done.is_set()
            with pytest.raises(NoneLeft), turns.turn("one", "page"):
                pass
            for _ in range(5):
                held.enter_context(turns.turn("one", "another page"))
                held.enter_context(turns.turn("other", "page"))  # whose work is short
        assert done.wait(5)
        waits.join()
