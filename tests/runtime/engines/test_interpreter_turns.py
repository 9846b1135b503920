"""Threads of one organization wait behind each other, not before another one's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime.engines import interpreter_turns
from runtime.engines.interpreter_turns import AT_ONCE, InterpreterTurns, WaitingForScript


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> InterpreterTurns:
    """Turns that two organizations have asked for a moment ago, and nobody gives up waiting for."""
    monkeypatch.setattr(interpreter_turns, "PATIENCE", 30)
    monkeypatch.setattr(interpreter_turns, "CROWDED_SECONDS", 600)
    turns = InterpreterTurns()
    for owner in ("quiet", "greedy"):
        with turns.of(owner):
            pass
    return turns


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


def test_an_organization_that_is_alone_has_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter_turns, "PATIENCE", 30)
    monkeypatch.setattr(interpreter_turns, "CROWDED_SECONDS", 0)
    turns = InterpreterTurns()
    workers = [Worker(turns, "alone") for _ in range(AT_ONCE * 3)]
    assert all(worker.works.wait(30) for worker in workers)
    for worker in workers:
        worker.stop()


def test_whoever_waits_for_a_script_lets_others_work(turns: InterpreterTurns, full: list[Worker]) -> None:
    more = Worker(turns, "greedy")
    full.pop().stop()
    assert more.works.wait(30)
    more.stop()
    with turns.of("greedy"), turns.of("greedy"), WaitingForScript():
        between = Worker(turns, "greedy")
        assert between.works.wait(30)
        between.stop()


def test_nobody_waits_without_end(turns: InterpreterTurns, full: list[Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter_turns, "PATIENCE", 0.01)
    more = Worker(turns, "greedy")
    assert more.works.wait(30)
    more.stop()


@pytest.mark.parametrize("patience", [0.0001, 0.05])
def test_all_turns_come_back(monkeypatch: pytest.MonkeyPatch, patience: float) -> None:
    monkeypatch.setattr(interpreter_turns, "PATIENCE", patience)
    turns = InterpreterTurns()

    def work(number: int) -> None:
        for step in range(200):
            with turns.of("greedy" if (number + step) % 7 else "quiet"), WaitingForScript():
                pass

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(work, range(12)))
    assert not turns._active
    assert not turns._line
