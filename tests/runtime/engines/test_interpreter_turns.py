"""Threads of one organization wait behind each other, not before another one's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime.engines import interpreter_turns
from runtime.engines.interpreter_turns import AT_ONCE, InterpreterTurns, Waiting, WaitingForLock, owner_at_work
from tests.conftest import wait_for


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> InterpreterTurns:
    """Turns that nobody keeps for too long, for organizations that each count as alone."""
    monkeypatch.setattr(interpreter_turns, "SLICE", 60)
    monkeypatch.setattr(interpreter_turns, "ALONE_AFTER", 0.0)
    return InterpreterTurns()


class Worker:
    """A thread that works for an organization until it is told to stop."""

    def __init__(self, turns: InterpreterTurns, owner: str) -> None:
        self.works, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, args=(turns, owner), daemon=True)
        self._thread.start()

    def _run(self, turns: InterpreterTurns, owner: str) -> None:
        with turns.of(owner):
            self.works.set()
            self._stop.wait(30)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


@pytest.fixture
def full(turns: InterpreterTurns) -> Iterator[list[Worker]]:
    """Workers of an organization that hold all turns it may have."""
    workers = [Worker(turns, "greedy") for _ in range(AT_ONCE)]
    assert all(worker.works.wait(30) for worker in workers)
    yield workers
    for worker in workers:
        worker.stop()


def test_one_more_waits_until_another_of_the_same_organization_is_done(
    turns: InterpreterTurns, full: list[Worker]
) -> None:
    more = Worker(turns, "greedy")
    other = Worker(turns, "quiet")
    assert other.works.wait(30)
    assert not more.works.wait(0.1)
    full.pop().stop()
    assert more.works.wait(30)
    more.stop()
    other.stop()


def test_whoever_waits_for_a_script_lets_others_work(turns: InterpreterTurns, full: list[Worker]) -> None:
    more = Worker(turns, "greedy")
    full.pop().stop()
    assert more.works.wait(30)
    more.stop()
    with turns.of("greedy"), turns.of("greedy"), Waiting():
        between = Worker(turns, "greedy")
        assert between.works.wait(30)
        between.stop()


def test_who_keeps_a_turn_for_too_long_counts_no_more(
    turns: InterpreterTurns, full: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter_turns, "SLICE", 0.01)
    more = [Worker(turns, "greedy") for _ in range(3 * AT_ONCE)]
    for worker in more:
        assert worker.works.wait(30)
        worker.stop()


def test_who_has_got_a_lock_does_not_wait_behind_those_that_want_it(
    turns: InterpreterTurns, full: list[Worker]
) -> None:
    """A writer let its turn go to wait for a lock; meanwhile others have taken all turns, and more want one."""
    lock, locked = threading.Lock(), threading.Event()
    lock.acquire()

    def write() -> None:
        with turns.of("greedy"):
            waiting.set()
            with WaitingForLock():
                lock.acquire()
            locked.set()
            lock.release()

    waiting = threading.Event()
    full.pop().stop()
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert waiting.wait(30)
    others = [Worker(turns, "greedy") for _ in range(3)]
    wait_for(lambda: any(other.works.is_set() for other in others))
    assert not locked.wait(0.05)
    lock.release()
    assert locked.wait(30)
    writer.join(30)
    full.pop().stop()
    for other in others:
        other.stop()


def test_a_turn_goes_on_for_whom_it_turns_out_to_be(turns: InterpreterTurns, full: list[Worker]) -> None:
    with turns.of("") as turn:
        assert owner_at_work() == ("", "")
        turn.become("quiet", "part")
        assert owner_at_work() == ("quiet", "part")
        with turns.of("greedy"):  # within other work: no turn of its own
            assert owner_at_work() == ("quiet", "part")
        with Waiting(), Waiting():
            pass
    assert owner_at_work() is None
    assert set(turns._active) == {"greedy"}


@pytest.mark.parametrize("slice_", [0.0001, 0.005])
def test_all_turns_come_back(monkeypatch: pytest.MonkeyPatch, slice_: float) -> None:
    monkeypatch.setattr(interpreter_turns, "SLICE", slice_)
    turns = InterpreterTurns()

    def work(number: int) -> None:
        for step in range(200):
            owner = "greedy" if (number + step) % 7 else "quiet"
            with turns.of("") as turn, Waiting():
                turn.become(owner, "")
            with turns.of(owner), WaitingForLock():
                pass

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(work, range(12)))
    assert not turns._active
    assert not turns._line


@pytest.mark.parametrize("many", [AT_ONCE, 40])
def test_no_more_run_at_once_than_may(turns: InterpreterTurns, many: int) -> None:
    running, most, counting = 0, 0, threading.Lock()
    together = threading.Barrier(AT_ONCE)  # as many as may run do, however late their threads begin

    def work(_: int) -> None:
        nonlocal running, most
        for round_ in range(20):
            with turns.of("one"):
                with counting:
                    running += 1
                    most = max(most, running)
                if round_ == 0:
                    together.wait(10)
                time.sleep(0.0001)
                with counting:
                    running -= 1

    with ThreadPoolExecutor(many) as threads:
        list(threads.map(work, range(many)))
    assert most == AT_ONCE


def test_beside_others_an_organization_runs_one_at_a_time(
    turns: InterpreterTurns, full: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter_turns, "ALONE_AFTER", 60)
    with turns.of(""):  # a stranger is no other organization
        more = Worker(turns, "greedy")
        full.pop().stop()
        assert more.works.wait(30)
        full.append(more)
    with turns.of("quiet"):
        pass
    more = Worker(turns, "greedy")
    full.pop().stop()
    assert not more.works.wait(0.1)
    full.pop().stop()
    assert more.works.wait(30)
    full.append(more)


def test_who_was_beside_others_is_alone_again(
    turns: InterpreterTurns, full: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter_turns, "ALONE_AFTER", 0.2)
    with turns.of("quiet"):
        pass
    full.pop().stop()
    wait_for(lambda: turns._shared_until < time.monotonic())
    full.append(Worker(turns, "greedy"))
    assert full[-1].works.wait(30)


def test_who_began_first_goes_on_first(turns: InterpreterTurns, full: list[Worker]) -> None:
    """Work that lets its turn go meanwhile does not stand behind what has begun since."""
    told: list[str] = []
    let_go, come_back = threading.Event(), threading.Event()

    def earlier() -> None:
        with turns.of("greedy"):
            with Waiting():
                let_go.set()
                come_back.wait(30)
            told.append("earlier")

    def later(number: int) -> None:
        with turns.of("greedy"):
            told.append(f"later {number}")

    full.pop().stop()
    threads = [threading.Thread(target=earlier, daemon=True)]
    threads[0].start()
    assert let_go.wait(30)
    full.append(Worker(turns, "greedy"))
    assert full[-1].works.wait(30)
    for number in range(3):
        threads.append(threading.Thread(target=later, args=(number,), daemon=True))
        threads[-1].start()
        wait_for(lambda length=number + 1: len(turns._line.get("greedy", [])) == length)
    come_back.set()
    wait_for(lambda: len(turns._line["greedy"]) == 4)
    full.pop().stop()
    for thread in threads:
        thread.join(30)
    assert told == ["earlier", "later 0", "later 1", "later 2"]
