"""Taking turns between owners of work."""

from __future__ import annotations

import threading

import pytest

from runtime.dispatch.fair_pool import FairPool
from tests.conftest import wait_for


def test_an_owner_with_a_pile_leaves_threads_for_the_others() -> None:
    pool = FairPool(4, "test")
    gate, done = threading.Event(), threading.Event()
    running: list[str] = []
    for number in range(50):
        work = lambda: (running.append("slow"), gate.wait(20))  # noqa: E731
        pool.submit("slow", str(number % 2), work)  # type: ignore[arg-type]
    wait_for(lambda: len(running) == 2)
    pool.submit("quick", "one", done.set)
    assert done.wait(10)
    assert running.count("slow") == 2
    gate.set()
    pool.close()


def test_a_slow_integration_leaves_threads_for_others_of_its_organization() -> None:
    pool = FairPool(8, "test")
    gate, done = threading.Event(), threading.Event()
    running: list[str] = []
    for _ in range(50):
        pool.submit("slow", "one", lambda: (running.append("slow"), gate.wait(20)))  # type: ignore[arg-type,return-value]
    wait_for(lambda: len(running) == 2)
    pool.submit("slow", "other", done.set)
    assert done.wait(10)
    assert running.count("slow") == 2
    gate.set()
    pool.close()


def test_many_with_piles_leave_a_thread_for_one_who_comes_new() -> None:
    pool = FairPool(8, "test")
    gate, done = threading.Event(), threading.Event()
    running: list[str] = []
    for owner in ("a", "b", "c"):
        for number in range(20):
            work = lambda owner=owner: (running.append(owner), gate.wait(20))  # noqa: E731
            pool.submit(owner, str(number), work)  # type: ignore[arg-type]
    wait_for(lambda: len(running) >= 6)
    pool.submit("new", "one", done.set)
    assert done.wait(10)
    gate.set()
    pool.close()


def test_work_that_fails_costs_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    pool = FairPool(2, "test")
    done = threading.Event()
    for _ in range(5):
        pool.submit("failing", "one", lambda: {}["nothing"])  # type: ignore[index]
    pool.submit("other", "one", done.set)
    assert done.wait(10)
    wait_for(lambda: len(caplog.records) == 5)
    pool.close()
    assert all(record.exc_info is not None for record in caplog.records)


def test_owners_take_turns() -> None:
    pool = FairPool(1, "test")
    gate, order, ended = threading.Event(), list[str](), threading.Event()
    pool.submit("first", "one", lambda: gate.wait(10))  # type: ignore[arg-type,return-value]
    for number in range(3):
        for owner in ("a", "b"):
            pool.submit(owner, "one", lambda text=f"{owner}{number}": order.append(text))  # type: ignore[misc]
    pool.submit("b", "one", ended.set)
    gate.set()
    assert ended.wait(10)
    assert order == ["a0", "b0", "a1", "b1", "a2", "b2"]
    pool.close()


def test_closing_waits_for_what_runs_and_drops_what_waits() -> None:
    pool = FairPool(1, "test")
    begun, gate, done = threading.Event(), threading.Event(), list[int]()

    def work() -> None:
        begun.set()
        gate.wait(10)
        done.append(1)

    pool.submit("a", "one", work)
    pool.submit("a", "one", lambda: done.append(2))
    assert begun.wait(10)
    closer = threading.Thread(target=pool.close)
    closer.start()
    gate.set()
    closer.join(10)
    assert done == [1]
    pool.submit("a", "one", lambda: done.append(3))
    assert done == [1]
