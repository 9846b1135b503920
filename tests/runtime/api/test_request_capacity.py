"""Places in which request bodies are read: many that come at once have their turn, slow ones are refused."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from runtime.api.host import RequestCapacity
from runtime.contract import errors


def nothing() -> None:
    """Decide nothing anew."""


def test_many_that_come_at_once_are_read() -> None:
    capacity = RequestCapacity(32)
    together = threading.Barrier(16)

    def send(number: int) -> int:
        together.wait(30)
        return capacity.read("one", lambda: time.sleep(0.001) or number, again=nothing)

    with ThreadPoolExecutor(16) as senders:
        assert list(senders.map(send, range(16))) == list(range(16))


def test_those_beside_too_many_slow_ones_are_refused_and_others_are_not() -> None:
    capacity = RequestCapacity(32)
    go_on = threading.Event()
    begun = threading.Semaphore(0)

    def slow() -> None:
        begun.release()
        assert go_on.wait(30)

    with ThreadPoolExecutor(4) as senders:
        sent = [senders.submit(capacity.read, "one", slow, again=nothing) for _ in range(4)]
        assert begun.acquire(timeout=30)
        refused = [one for one in sent if isinstance(_outcome(one), errors.Unavailable)]
        assert capacity.read("another", lambda: "read", again=nothing) == "read"
        with pytest.raises(errors.Unavailable):
            capacity.read("one", lambda: "read", again=nothing)
        go_on.set()
    assert refused
    assert capacity.read("one", lambda: "read", again=nothing) == "read"


def _outcome(sent: Future[None]) -> BaseException | None:
    """Give the error of what was sent; None if it is neither refused nor over for a while."""
    try:
        return sent.exception(timeout=1)
    except TimeoutError:
        return None
