"""Of those who want the same, one works on it at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import pytest

from runtime.store.single_flight import SingleFlight


def test_one_works_on_a_key_and_others_on_theirs() -> None:
    flights, counting = SingleFlight(), threading.Lock()
    at_work: dict[int, int] = {0: 0, 1: 0}
    most = 0

    def work(number: int) -> None:
        nonlocal most
        with flights.turn(number % 2, 30, nullcontext):
            with counting:
                at_work[number % 2] += 1
                most = max(most, *at_work.values())
            with counting:
                at_work[number % 2] -= 1

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(work, range(400)))
    assert most == 1
    assert not flights._flights


def test_nobody_waits_without_end_and_whoever_waits_says_so() -> None:
    flights, waited = SingleFlight(), []

    @contextmanager
    def waiting() -> Iterator[None]:
        waited.append("began")
        yield
        waited.append("ended")

    with flights.turn("k", 30, waiting):
        assert not waited
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(lambda: _passed(flights, waiting)).result(30)
    assert waited == ["began", "ended"]
    assert not flights._flights


def _passed(flights: SingleFlight, waiting: object) -> bool:
    with flights.turn("k", 0.01, waiting):  # type: ignore[arg-type]
        return True


def test_what_waiting_raises_is_raised_and_leaves_nothing() -> None:
    flights = SingleFlight()

    @contextmanager
    def full() -> Iterator[None]:
        raise LookupError
        yield

    with flights.turn("k", 30, nullcontext), ThreadPoolExecutor(1) as threads, pytest.raises(LookupError):
        threads.submit(lambda: _passed(flights, full)).result(30)
    assert not flights._flights
