"""Who goes first: calls that compute let others go first, and those of an organization weigh less than one process."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits
from runtime.engines import priority
from runtime.engines.egress import EgressRules
from runtime.engines.javascript.pool import JavaScriptEngine
from runtime.engines.priority import FIRST, NICEST, LongCalls, Priority
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.time_slices import LONG
from tests.conftest import wait_for
from tests.runtime.engines.conftest import ENVIRONMENT, FETCH, asker, handler, script, send
from tests.runtime.engines.javascript.conftest import script as javascript
from tests.runtime.engines.javascript.conftest import worker
from tests.runtime.engines.slices import SLICES, as_set, slices

COMPUTES = """
import time
until = time.process_time() + 1.5
while time.process_time() < until:
    sum(range(1000))
return Response("computed")
"""
JAVASCRIPT_COMPUTES = """
if (event.request.url.endsWith("/quick")) return new Response("quick");
const until = performance.now() + 1500;
while (performance.now() < until);
return new Response("computed");
"""


def niceness(pid: int) -> set[int]:
    """That of every thread of a process."""
    try:
        return {os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in Path(f"/proc/{pid}/task").iterdir()}
    except OSError:
        return set()


def test_the_more_compute_the_less_each_weighs() -> None:
    computing = LongCalls()
    given = []
    for _ in range(200):
        computing.enter("a")
        given.append(computing.niceness("a"))
    assert given[0] == FIRST
    assert given == sorted(given)
    assert given[-1] == NICEST
    weights = [number / 1.25 ** (given[number - 1] - FIRST) for number in range(1, 20)]
    assert all(0.5 < weight < 1.5 for weight in weights)
    assert computing.niceness("b") == FIRST
    for _ in range(199):
        computing.leave("a")
    assert computing.niceness("a") == FIRST


def test_a_process_gets_its_priority_back_when_it_has_not_computed_lately(
    child: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = LongCalls()
    one = Priority(calls)
    one.recover(child)
    assert niceness(child) == {0}
    one.lower(child, "organization")
    one.lower(child, "organization")
    may_raise = os.geteuid() == 0
    assert niceness(child) == {FIRST if may_raise else 0}
    assert calls.niceness("organization") == FIRST
    assert one.call_ended(child)
    assert not calls._calls
    one.recover(child)
    assert niceness(child) == {FIRST if may_raise else 0}, "the next call would begin before those of others"
    monkeypatch.setattr(priority, "KEPT_SECONDS", 0.0)
    one.recover(child)
    assert niceness(child) == {0}
    one.lower(child, "organization", for_good=True)
    assert niceness(child) == {FIRST}
    assert one.call_ended(child) is may_raise


def test_python_calls_that_compute_step_back_until_they_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "KEPT_SECONDS", 0.0)
    engine = PythonEngine(sandbox="required", rules=EgressRules())
    event, environment = json.dumps(FETCH).encode(), json.dumps(ENVIRONMENT).encode()
    computes, quick = script(handler(COMPUTES)), script(handler("return Response('here')"))

    def call(tenant: str, organization: str, called: Any = computes) -> None:
        limits = Limits(wall=60.0)
        send(engine, Invocation(called, tenant, event, environment, None, limits, organization=organization))

    calls = [threading.Thread(target=call, args=(tenant, "many")) for tenant in "abc"]
    calls.append(threading.Thread(target=call, args=("d", "another")))
    try:
        for thread in calls:
            thread.start()

        def steps() -> list[int]:
            return [max(niceness(worker.pid), default=0) for worker in engine._pool.in_flight()]

        wait_for(lambda: sum(step > FIRST for step in steps()) >= 2 and min(steps()) == FIRST)
        assert all(slices(worker.pid) == {as_set(LONG)} for worker in engine._pool.in_flight())
        for thread in calls:
            thread.join()
        assert not engine._factory._long_calls._calls
        time.sleep(0.01)
        for tenant in "abcd":
            call(tenant, "many" if tenant != "d" else "another", quick)
        # Where only root may give priority back, the worker has gone with its call.
        quick_workers = [worker for worker in engine._pool._resting if worker.idle_since]
        assert quick_workers
        for worker in quick_workers:
            worker._priority.recover(worker.pid)
            assert niceness(worker.pid) == {0}
    finally:
        engine.close()


def test_javascript_calls_that_compute_step_back_until_they_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "KEPT_SECONDS", 0.0)
    engine = JavaScriptEngine(sandbox="required", rules=EgressRules())
    source = javascript(worker(JAVASCRIPT_COMPUTES))
    may_raise = os.geteuid() == 0

    def call(path: str = "/") -> bytes:
        event = {**FETCH, "request": {**FETCH["request"], "url": f"https://integrations.example{path}"}}
        texts = json.dumps(event).encode(), json.dumps(ENVIRONMENT).encode()
        return send(engine, Invocation(source, "a", *texts, None, Limits(wall=60.0), organization="many")).body

    def lowered() -> bool:
        (isolate,) = engine._isolates.running()
        return (SLICES and slices(isolate.pid) == {LONG}) or niceness(isolate.pid) == {FIRST}

    try:
        assert call("/quick") == b"quick"
        assert not lowered()
        computing = threading.Thread(target=call)
        computing.start()
        wait_for(lowered)
        (isolate,) = engine._isolates.running()
        assert niceness(isolate.pid) == {FIRST if may_raise else 0}
        computing.join()
        wait_for(lambda: not lowered() and niceness(isolate.pid) == {0})
        assert not engine._isolates._long_calls._calls
    finally:
        engine.close()


def test_every_worker_leads_a_session() -> None:
    engine = PythonEngine(sandbox="required", rules=EgressRules())
    try:
        assert asker(engine)(handler("return Response('here')")).body == b"here"
        (worker,) = engine._pool._resting
        assert os.getsid(worker.pid) == worker.pid
    finally:
        engine.close()
