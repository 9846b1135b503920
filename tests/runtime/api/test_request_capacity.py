"""Places in which request bodies are read: many that come at once have their turn, slow ones are refused."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from runtime.api import request_capacity
from runtime.api.request_capacity import SLOW_SECONDS, RequestCapacity
from runtime.contract import errors


def nothing() -> None:
    """Decide nothing anew."""


def test_many_that_come_at_once_are_read() -> None:
    capacity = RequestCapacity(128)  # with seven slots for one owner, and seven that may wait
    together = threading.Barrier(14)

    def send(number: int) -> int:
        together.wait(30)
        return capacity.read("one", lambda: time.sleep(0.001) or number, again=nothing)

    with ThreadPoolExecutor(14) as senders:
        assert list(senders.map(send, range(14))) == list(range(14))


def test_who_waited_is_decided_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rights may end while a body waits for its turn."""
    monkeypatch.setattr(request_capacity, "BODY_WAIT", 30.0)
    capacity = RequestCapacity(32)
    go_on, begun, decided = threading.Event(), threading.Semaphore(0), threading.Event()

    def slow() -> None:
        begun.release()
        assert go_on.wait(30)

    with ThreadPoolExecutor(3) as senders:
        for _ in range(2):
            senders.submit(capacity.read, "one", slow, again=nothing)
            assert begun.acquire(timeout=30)
        late = senders.submit(capacity.read, "one", lambda: "read", again=decided.set)
        time.sleep(SLOW_SECONDS * 2)
        go_on.set()
        assert late.result(30) == "read" and decided.is_set()


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
