"""Threads that repeat their work: they go on after errors, are woken, and end."""

from __future__ import annotations

import logging
import threading

import pytest

from runtime.engines.threads import RepeatingThread
from tests.conftest import wait_for

log = logging.getLogger(__name__)
LONG = 3600.0


class Work:
    """Counts its rounds, and fails in those that are named."""

    def __init__(self, pause: float, failing: set[int] | None = None) -> None:
        self.pause, self.failing = pause, failing or set()
        self.rounds = 0
        self.done = threading.Semaphore(0)

    def __call__(self) -> float:
        self.rounds += 1
        self.done.release()
        if self.rounds in self.failing:
            raise OSError("the disk is away")
        return self.pause


def _thread(work: Work, retry: float = LONG) -> RepeatingThread:
    return RepeatingThread("repeating", work, log=log, failed="it could not be done", retry=retry)


def test_it_is_done_at_once_and_again_when_woken() -> None:
    work = Work(LONG)
    thread = _thread(work)
    thread.start()
    assert work.done.acquire(timeout=10)
    thread.wake()
    assert work.done.acquire(timeout=10)
    thread.close()
    assert work.rounds == 2 and not thread.alive()


def test_an_error_is_logged_and_the_next_round_comes(caplog: pytest.LogCaptureFixture) -> None:
    work = Work(LONG, failing={1})
    thread = _thread(work, retry=0.01)
    thread.start()
    assert work.done.acquire(timeout=10) and work.done.acquire(timeout=10)
    assert thread.alive()
    thread.close()
    assert [record.getMessage() for record in caplog.records] == ["it could not be done"]


def test_a_stop_at_any_moment_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clear = threading.Event.clear
    clearing, go_on = threading.Event(), threading.Event()

    def slow(event: threading.Event) -> None:
        if threading.current_thread().name == "repeating":
            clearing.set()
            go_on.wait(10)
        clear(event)

    work = Work(0.01)
    thread = _thread(work)
    monkeypatch.setattr(threading.Event, "clear", slow)
    thread.start()
    assert clearing.wait(10)
    work.pause = LONG
    thread.stop()
    go_on.set()
    # Not `close`, which stops it a second time.
    wait_for(lambda: not any(one.name == "repeating" for one in threading.enumerate()))


def test_what_fails_is_not_done_again_sooner_because_it_is_woken() -> None:
    work = Work(LONG, failing={1, 2})
    thread = _thread(work)
    thread.start()
    assert work.done.acquire(timeout=10)
    thread.wake()
    assert not work.done.acquire(timeout=0.2)
    thread.close()
    assert work.rounds == 1


def test_a_pause_may_be_longer_than_the_system_waits() -> None:
    work = Work(1e300)
    thread = _thread(work)
    thread.start()
    assert work.done.acquire(timeout=10)
    threading.Event().wait(0.1)  # in which it begins to wait
    thread.wake()
    assert work.done.acquire(timeout=10) and thread.alive()
    thread.close()


def test_what_is_woken_during_a_round_comes_after_it() -> None:
    within, go_on = threading.Event(), threading.Event()
    rounds = []

    def work() -> float:
        rounds.append(len(rounds))
        within.set()
        assert go_on.wait(10)
        return LONG

    thread = RepeatingThread("repeating", work, log=log, failed="it could not be done")
    thread.start()
    assert within.wait(10)
    thread.wake()
    within.clear()
    go_on.set()
    assert within.wait(10)
    thread.close()
    assert rounds == [0, 1]


def test_closing_what_never_started_waits_for_nothing() -> None:
    thread = _thread(Work(LONG))
    thread.close()
    assert not thread.alive()
