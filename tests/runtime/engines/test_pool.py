"""The pool: who shares a worker, how many there are, how they come and go."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits, Script, Trace
from runtime.engines.egress import EgressRules
from runtime.engines.python_process.pool import PythonEngine
from tests.conftest import wait_for
from tests.runtime.engines.conftest import together

Make = Callable[..., PythonEngine]
HEAD = "from runtime.sdk import Integration, Response\nintegration = Integration()\n"
COUNTING = (
    HEAD
    + """
import time
calls = []
@integration.fetch("GET", "/")
def run(request):
    calls.append(1)
    return Response.json(len(calls))
"""
)
SLEEPING = (
    HEAD + '@integration.fetch("GET", "/")\ndef run():\n    import time\n    time.sleep({})\n    return "slept"\n'
)


@pytest.fixture
def make() -> Iterator[Make]:
    """Make engines that are closed in the end."""
    engines: list[PythonEngine] = []

    def build(**options: Any) -> PythonEngine:
        engines.append(PythonEngine(**{"sandbox": "required", "rules": EgressRules(), **options}))
        return engines[-1]

    yield build
    for engine in engines:
        engine.close()


def test_worker_is_kept_for_version_and_tenant(make: Make, asking: Any) -> None:
    ask = asking(make())
    first, second = Script("1", "python", COUNTING), Script("2", "python", COUNTING)

    assert [ask(first, tenant="a").json() for _ in range(3)] == [1, 2, 3]
    assert ask(first, tenant="b").json() == 1
    assert ask(second, tenant="a").json() == 1
    assert ask(first, tenant="").json() == 1


def test_the_worker_a_script_was_checked_in_goes_to_one_tenant(make: Make, asking: Any) -> None:
    engine = make()
    ask, source = asking(engine), Script("1", "python", f"print('loaded')\n{COUNTING}")
    assert [line.message for line in engine.check(source).logs] == ["loaded"]
    assert engine.workers() == 1

    first = ask(source, tenant="a")
    assert (first.json(), [line.message for line in first.trace.logs]) == (1, ["loaded"])
    assert engine.workers() == 1
    assert [ask(source, tenant="a").json(), ask(source, tenant="b").json()] == [2, 1]
    assert engine.workers() == 2


def test_a_checked_worker_that_is_not_called_makes_room_and_goes(make: Make, asking: Any) -> None:
    engine = make(workers_total=2, idle_seconds=1.0)
    ask = asking(engine)
    for version in "abc":
        engine.check(Script(version, "python", COUNTING))
    assert engine.workers() == 2

    assert ask(Script("d", "python", COUNTING)).json() == 1
    assert engine.workers() == 2
    engine.retire("b")
    wait_for(lambda: engine.workers() == 0)


def test_a_checked_worker_that_died_is_not_handed_over(make: Make, asking: Any) -> None:
    engine = make()
    ask, source = asking(engine), Script("1", "python", COUNTING)
    engine.check(source)
    (worker,) = engine._pool._resting
    os.kill(worker.pid, signal.SIGKILL)
    wait_for(lambda: not worker.alive())

    assert [ask(source).json() for _ in range(2)] == [1, 2]
    assert engine.workers() == 1


def test_busy_version_gets_more_workers(make: Make, asking: Any) -> None:
    engine = make(workers_per_key=3)
    ask = asking(engine)
    source = Script("s", "python", SLEEPING.format(0.3))
    calls = threading.Thread(target=lambda: together(4, lambda _: ask(source)))
    calls.start()
    wait_for(lambda: engine.workers() == 3)
    calls.join()

    assert engine.workers() == 3


def test_caller_that_waits_too_long_is_reported(make: Make, asking: Any) -> None:
    ask = asking(make(workers_per_key=1))
    source = Script("s", "python", SLEEPING.format(0.6))
    limits = (Limits(wall=5.0), Limits(wall=0.2))
    slow = threading.Thread(target=lambda: ask(source, limits=limits[0]))
    slow.start()
    time.sleep(0.2)
    got = ask(source, limits=limits[1])
    slow.join()

    assert (got.outcome.status, got.outcome.failure.kind) == (503, "overload")
    assert got.trace.failure.kind == "overload"


def test_callers_that_wait_are_served(make: Make, asking: Any) -> None:
    ask = asking(make(workers_per_key=2))
    source = Script("s", "python", SLEEPING.format(0.02))

    assert [got.body for got in together(12, lambda _: ask(source))] == [b"slept"] * 12


def test_total_is_kept_by_ending_the_longest_idle(make: Make, asking: Any) -> None:
    ask = asking(make(workers_total=2))
    source = Script("s", "python", COUNTING)

    assert [ask(source, tenant=tenant).json() for tenant in ("a", "b", "a", "c", "a", "b")] == [1, 1, 2, 1, 3, 1]


def test_an_organization_with_many_idle_workers_makes_room_before_its_neighbor(make: Make, asking: Any) -> None:
    ask = asking(make(workers_total=3))
    source = Script("s", "python", COUNTING)
    ask(source, tenant="neighbor", organization="neighbor")
    for tenant in ("a", "b", "c", "d"):
        ask(source, tenant=tenant, organization="greedy")

    assert ask(source, tenant="neighbor", organization="neighbor").json() == 2
    assert ask(source, tenant="d", organization="greedy").json() == 2


def test_tenants_wait_for_each_other_at_the_total(make: Make, asking: Any) -> None:
    ask = asking(make(workers_total=2))
    source = Script("s", "python", SLEEPING.format(0.02))

    assert [got.body for got in together(10, lambda number: ask(source, tenant=str(number)))] == [b"slept"] * 10


def test_idle_worker_is_let_go(make: Make, asking: Any) -> None:
    engine = make(idle_seconds=0.2)
    ask = asking(engine)
    source = Script("s", "python", COUNTING)
    ask(source)
    wait_for(lambda: engine.workers() == 0)

    assert ask(source).json() == 1


def test_retired_version_goes_but_not_its_calls_in_flight(make: Make, asking: Any) -> None:
    engine = make()
    ask = asking(engine)
    idle, busy = Script("idle", "python", COUNTING), Script("busy", "python", SLEEPING.format(0.3))
    ask(idle)
    results: list[Any] = []
    slow = threading.Thread(target=lambda: results.append(ask(busy)))
    slow.start()
    wait_for(lambda: engine.workers() == 2)  # or being started
    engine.retire("idle")
    engine.retire("busy")
    slow.join()

    assert results[0].body == b"slept"
    wait_for(lambda: engine.workers() == 0)
    assert ask(idle).json() == 1


def test_worker_that_died_while_idle_is_replaced(make: Make, asking: Any) -> None:
    ask = asking(make())
    source = HEAD + (
        "import os, threading, time\n"
        "def end():\n    time.sleep(0.05)\n    os._exit(0)\n"
        '@integration.fetch("GET", "/")\ndef run():\n    threading.Thread(target=end).start()\n    return "there"\n'
    )
    script = Script("s", "python", source)
    ask(script)
    time.sleep(0.3)

    assert ask(script).body == b"there"


def test_dead_zygote_is_started_again(make: Make, asking: Any) -> None:
    engine = make()
    ask = asking(engine)
    source = Script("s", "python", COUNTING)
    assert ask(source).json() == 1
    pid = engine.zygote_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: engine.zygote_pid != pid)  # by itself, sooner than anybody could see that there is none
    wait_for(engine.ready)

    assert ask(source, tenant="other").json() == 1
    assert ask(source).json() in (1, 2)
    assert engine.ready()


def test_close_finishes_calls_in_flight_and_takes_no_more(make: Make, asking: Any) -> None:
    engine = make()
    ask = asking(engine)
    source = Script("s", "python", SLEEPING.format(0.3))
    results: list[Any] = []
    slow = threading.Thread(target=lambda: results.append(ask(source)))
    slow.start()
    wait_for(lambda: engine.workers() == 1)
    time.sleep(0.1)
    pid = engine.zygote_pid
    engine.close()
    slow.join()

    assert results[0].body == b"slept"
    assert ask(source).outcome.failure.kind == "overload"
    assert not engine.ready()
    with pytest.raises(ProcessLookupError):
        os.kill(pid or 0, 0)


def test_sink_that_raises_does_not_lose_the_worker(make: Make, asking: Any, caplog: pytest.LogCaptureFixture) -> None:
    engine = make(workers_per_key=1)
    source = Script("s", "python", COUNTING)
    event = {"eventId": "e", "type": "fetch", "request": {"method": "get", "url": "https://x.example/"}}

    def sink(trace: Trace) -> None:
        raise ValueError("no room")

    outcome = engine.invoke(Invocation(source, "tenant", json.dumps(event).encode(), b"{}"), sink)

    assert outcome.body == b"1"
    assert "no room" in caplog.text
    assert asking(engine)(source).json() == 2


def test_engine_works_without_a_sandbox(make: Make, asking: Any) -> None:
    engine = make(sandbox="off")
    ask = asking(engine)
    source = Script("s", "python", COUNTING)

    assert [ask(source).json() for _ in range(2)] == [1, 2]
    assert ask(HEAD + "import time\ntime.sleep(100)", limits=Limits(wall=0.3)).outcome.failure.limit == "wall"
    big = HEAD + '@integration.fetch("GET", "/")\ndef run():\n    return "x" * (1 << 40)\n'
    assert ask(big).outcome.failure.limit == "memory"
    fetching = HEAD + (
        '@integration.fetch("GET", "/")\ndef run(context):\n'
        '    import requests\n    return Response.json(requests.get("http://169.254.169.254/").status_code)\n'
    )
    got = ask(fetching)
    assert got.json() == 403
    assert got.trace.subrequests[0].refused
    assert ask(source).json() == 3
