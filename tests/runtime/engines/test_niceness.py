"""Who goes first: an organization's calls that compute have together the weight of one."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from runtime.contract.invocation import Invocation, Limits
from runtime.engines.egress import EgressRules
from runtime.engines.niceness import NICEST, LongCalls
from runtime.engines.python_process.pool import PythonEngine
from tests.conftest import wait_for
from tests.runtime.engines.conftest import ENVIRONMENT, FETCH, asker, handler, script, send

COMPUTES = """
import time
until = time.process_time() + 1.5
while time.process_time() < until:
    sum(range(1000))
return Response("computed")
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
    assert given[0] == 0
    assert given == sorted(given)
    assert given[-1] == NICEST
    assert all(0.5 < number / 1.25 ** given[number - 1] < 1.5 for number in range(1, 60))
    assert computing.niceness("b") == 0
    for _ in range(199):
        computing.leave("a")
    assert computing.niceness("a") == 0


def test_calls_that_compute_step_back_until_they_end() -> None:
    engine = PythonEngine(sandbox="required", rules=EgressRules())
    event, environment = json.dumps(FETCH).encode(), json.dumps(ENVIRONMENT).encode()
    computes = script(handler(COMPUTES))

    def call(tenant: str, organization: str) -> None:
        limits = Limits(wall=60.0)
        send(engine, Invocation(computes, tenant, event, environment, None, limits, organization=organization))

    calls = [threading.Thread(target=call, args=(tenant, "many")) for tenant in "abc"]
    calls.append(threading.Thread(target=call, args=("d", "another")))
    try:
        for thread in calls:
            thread.start()

        def steps() -> bool:
            return sum(max(niceness(worker.pid), default=0) >= 3 for worker in engine._pool.in_flight()) >= 2

        wait_for(steps)
        for thread in calls:
            thread.join()
        # Only root may take it back: else the worker has gone with its call.
        assert all(niceness(worker.pid) == {0} for worker in engine._pool._resting)
        assert not engine._factory._long_calls._calls
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
