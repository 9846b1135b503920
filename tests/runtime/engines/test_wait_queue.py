"""Only who can go on is woken, first come first served, and nobody is forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runtime.dispatch.fair_pool import FairPool
from runtime.engines.calling import PoolBusy
from runtime.engines.python_process.worker_pool import WorkerPool
from runtime.engines.shares import NoneLeft, Turns
from runtime.engines.wait_queue import Waiter, WaitQueue
from tests.conftest import wait_for


class Counted(WaitQueue[str]):
    """A line that counts how often a thread was woken."""

    woken = 0

    def wait(self, waiter: Waiter[str], deadline: float) -> bool:
        came = super().wait(waiter, deadline)
        self.woken += came
        return came


class Worker:
    """What a pool of workers needs of one."""

    last_call = False
    idle_since = 0.0
    used_by = ""

    def alive(self) -> bool:
        return True

    def rest(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def waiting(count: int, wait: Callable[[int], object]) -> list[threading.Thread]:
    """Begin threads that wait, one after the other."""
    threads = [threading.Thread(target=wait, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_the_first_who_may_go_on_is_woken() -> None:
    lock = threading.Lock()
    line = WaitQueue[int](lock)
    told: list[int] = []

    def wait(number: int) -> None:
        with lock:
            if line.wait(Waiter(number), time.monotonic() + 30):
                told.append(number)

    threads = []
    for number in range(4):
        threads += waiting(1, lambda _, number=number: wait(number))  # type: ignore[misc]
        wait_for(lambda length=number + 1: len(line) == length)
    for expected, may in (([1], lambda one: one % 2), ([1, 3], lambda one: one % 2), ([1, 3], lambda one: one > 5)):
        with lock:
            line.wake(may)
        wait_for(lambda expected=expected: told == expected)
    with lock:
        line.wake_all()
    for thread in threads:
        thread.join(30)
    assert sorted(told) == [0, 1, 2, 3]


def test_who_comes_back_is_the_first() -> None:
    lock = threading.Lock()
    line = WaitQueue[str](lock)
    told: list[str] = []

    def earlier() -> None:
        waiter = Waiter("earlier")
        with lock:
            assert line.wait(waiter, time.monotonic() + 30)
            told.append("woken")
            assert line.wait(waiter, time.monotonic() + 30)
            told.append("earlier")

    def later() -> None:
        with lock:
            assert line.wait(Waiter("later"), time.monotonic() + 30)
            told.append("later")

    threads = [threading.Thread(target=earlier, daemon=True), threading.Thread(target=later, daemon=True)]
    for number, thread in enumerate(threads):
        thread.start()
        wait_for(lambda length=number + 1: len(line) == length)
    with lock:
        line.wake(lambda _: True)
    wait_for(lambda: told == ["woken"] and len(line) == 2)
    with lock:
        line.wake(lambda _: True)
    wait_for(lambda: len(told) == 2)
    with lock:
        line.wake(lambda _: True)
    for thread in threads:
        thread.join(30)
    assert told == ["woken", "earlier", "later"]


def test_nobody_waits_beyond_the_deadline() -> None:
    lock = threading.Lock()
    line = WaitQueue[str](lock)
    with lock:
        assert not line.wait(Waiter("a"), time.monotonic() - 1)
        assert not line.wait(Waiter("a"), time.monotonic() + 0.01)
    assert not line


def pool_of(total: int, per_key: int = 8) -> WorkerPool:
    made: Any = Worker
    return WorkerPool(made, per_key=per_key, total=total, idle_seconds=60)


@pytest.mark.parametrize("organizations", [1, 3])
def test_a_worker_that_comes_back_wakes_one(organizations: int) -> None:
    pool = pool_of(8)
    line = Counted(pool._lock)
    pool._line = line  # type: ignore[assignment]
    held = []
    with pytest.raises(PoolBusy):
        while True:
            held.append(pool.take(("v", "t", 0), ("o0", "i"), time.monotonic() + 0.01)[0])
    got: list[Any] = []

    def take(number: int) -> None:
        got.append(pool.take((f"v{number}", "t", 0), (f"o{number % organizations}", "i"), time.monotonic() + 30)[0])

    threads = waiting(40, take)
    wait_for(lambda: len(line) + len(got) == 40)
    line.woken = 0
    pool.give(held.pop())
    wait_for(lambda: line.woken >= 1)
    time.sleep(0.05)
    assert line.woken <= organizations + 1
    while any(thread.is_alive() for thread in threads):
        for worker in [*held, *got]:
            if worker in pool._busy:
                pool.give(worker)
    assert len(got) == 40


def test_all_get_a_worker_in_the_end() -> None:
    pool = pool_of(6, per_key=2)

    def work(number: int) -> int:
        for step in range(60):
            key = (f"v{(number + step) % 4}", f"t{number % 3}", 0)
            worker, _ = pool.take(key, (f"o{number % 5}", f"i{step % 2}"), time.monotonic() + 30)
            if step % 7 == 0:
                worker.last_call = True
            if step % 11 == 0:
                pool.drop(worker)
            else:
                pool.give(worker)
        return number

    with ThreadPoolExecutor(24) as threads:
        assert list(threads.map(work, range(24))) == list(range(24))
    assert not pool._line
    assert not pool._busy


def test_turns_wake_one_of_the_same_owner() -> None:
    turns = Turns(1, 50, 30)
    line = turns._line = Counted(turns._lock)
    done: list[int] = []
    release = threading.Semaphore(0)

    def work(number: int) -> None:
        with turns.turn("a" if number % 2 else "b"):
            release.acquire()
            done.append(number)

    threads = waiting(20, work)
    wait_for(lambda: len(line) == 18)
    release.release()
    wait_for(lambda: len(done) == 1 and len(line) == 17)
    assert line.woken == 1
    for _ in threads:
        release.release()
    for thread in threads:
        thread.join(30)
    assert len(done) == 20
    with turns.turn("a"), pytest.raises(NoneLeft), Turns(0, 1, 0.01).turn("a"):
        pass


def test_delivery_threads_run_all_there_is() -> None:
    pool = FairPool(6, "delivery")
    done: list[int] = []
    slow = threading.Event()

    def work(number: int) -> None:
        if number < 3:
            slow.wait(30)
        done.append(number)

    for number in range(300):
        pool.submit(f"o{number % 5}", f"i{number % 2}", lambda number=number: work(number))  # type: ignore[misc]
    wait_for(lambda: len(done) == 297)
    slow.set()
    wait_for(lambda: len(done) == 300)
    pool.close()
