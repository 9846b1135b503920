"""Who answers goes on at once, who computes lets others go first, and a script has what every process has."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime.api.one_processor import OneProcessor
from runtime.dispatch.fair_pool import FairPool
from runtime.engines.egress import EgressRules
from runtime.engines.priority import set_niceness
from runtime.engines.process_start import on_any_processor
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.time_slices import LONG, SHORT, USUAL, answer_soon, as_usual, set_slice
from tests.conftest import wait_for
from tests.runtime.engines.conftest import asker, handler
from tests.runtime.engines.slices import as_set, slice_of, slices


def test_all_threads_of_a_process_get_a_slice(child: int) -> None:
    usual = slices(child)
    set_slice(child, LONG)
    assert slices(child) == {as_set(LONG)}
    set_slice(child, USUAL)
    assert slices(child) == usual
    set_slice(2**22 + 1, LONG)  # a process that has ended


def test_a_thread_that_ends_meanwhile_keeps_no_other_from_it(child: int, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.listdir
    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", lambda folder: [str(2**22 + 1), *listed(folder)])
        set_slice(child, LONG)
        assert set_niceness(child, 5)
    assert slices(child) == {as_set(LONG)}
    assert os.getpriority(os.PRIO_PROCESS, child) == 5


def test_a_niceness_stays(child: int) -> None:
    os.setpriority(os.PRIO_PROCESS, child, 7)
    set_slice(child, LONG)
    assert os.getpriority(os.PRIO_PROCESS, child) == 7


def test_threads_that_answer_have_short_ones_and_others_do_not() -> None:
    usual = slice_of()
    found: list[int] = []

    def answer() -> None:
        processor = OneProcessor()
        processor.settle()
        found.append(slice_of())

    with ThreadPoolExecutor(1) as threads:
        threads.submit(answer).result()
    pool = FairPool(1, "delivery")
    pool.submit("organization", "integration", lambda: found.append(slice_of()))
    wait_for(lambda: len(found) == 2)
    pool.close()
    assert found == [as_set(SHORT)] * 2
    OneProcessor().settle()  # the main thread starts processes
    assert slice_of() == usual


def test_processes_started_from_them_have_the_usual_one() -> None:
    def start() -> tuple[int, set[int], int]:
        usual = slice_of()
        answer_soon()
        with on_any_processor():
            process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        found = slices(process.pid)
        process.kill()
        process.wait()
        with as_usual():
            assert slice_of() == usual
        return usual, found, slice_of()

    with ThreadPoolExecutor(1) as threads:
        usual, found, mine = threads.submit(start).result()
    assert found == {usual}
    assert mine == as_set(SHORT)


def test_a_script_has_the_usual_one() -> None:
    usual = slice_of()
    engine = PythonEngine(sandbox="required", rules=EgressRules())

    def ask() -> bytes:
        answer_soon()
        return asker(engine)(handler("return Response('here')")).body

    try:
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(ask).result() == b"here"
        (worker,) = engine._pool._resting
        assert slices(worker.pid) == {usual}
    finally:
        engine.close()
