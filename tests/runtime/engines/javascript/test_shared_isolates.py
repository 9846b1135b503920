"""Isolates that serving processes share: who loads them, who ends them, what the end of one does to others."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits, Script, Trace
from tests.conftest import wait_for
from tests.runtime.engines.conftest import ENVIRONMENT, FETCH
from tests.runtime.engines.javascript import serving_process
from tests.runtime.engines.javascript.conftest import script, worker

COUNTING = worker("globalThis.calls = (globalThis.calls ?? 0) + 1; return Response.json(globalThis.calls);")
SLEEPING = worker("await new Promise((done) => setTimeout(done, 1500)); return new Response('slept');")
FETCHING = worker(
    "for (let turn = 0; turn < event.turns; turn++) await fetch(event.peer + '/' + event.name);"
    "console.log(event.name); return new Response(event.name);"
)
GREEDY = worker(
    "if (event.keep) { globalThis.kept = []; for (;;) { kept.push(new Array(100000).fill(Math.random()));"
    " await new Promise((done) => setTimeout(done, 1)); } }"
    "await new Promise((done) => setTimeout(done, 8000)); return new Response('slept');"
)
SPINNING = worker("if (event.spin) for (;;); return new Response('here');")
STUBBORN = worker(
    "for (const start = Date.now(); Date.now() - start < (event.milliseconds ?? 0););"
    "return new Response('x'.repeat(event.length ?? 4));"
)
LOADING = f"for (const start = Date.now(); Date.now() - start < 700;);\n{COUNTING}"


@dataclass
class Answered:
    """What a call gave."""

    status: int
    body: bytes
    trace: Trace

    def json(self) -> Any:
        """Return the body parsed."""
        return json.loads(self.body)


class Serving:
    """An engine in another process."""

    def __init__(self, folder: Path, **options: Any) -> None:
        own, other = socket.socketpair()
        self._own = own
        self._commands = Connection(os.dup(own.fileno()))
        with other:
            command = [sys.executable, "-m", serving_process.__name__, str(other.fileno())]
            self.process = subprocess.Popen(command, pass_fds=[other.fileno()])
        self._commands.send({"shared": folder, **options})
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Any]] = {}
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def begin(self, what: str, *given: Any) -> Future[Any]:
        """Have it do something; gives what will come of it."""
        number, future = next(self._numbers), Future[Any]()
        self._waiting[number] = future
        self._commands.send((number, what, given))
        return future

    def begin_call(
        self, called: Script, tenant: str = "tenant", event: Any = None, limits: Limits | None = None
    ) -> Callable[[], Answered]:
        """Have it call a script; gives what waits for the answer."""
        texts = json.dumps(event or FETCH).encode(), json.dumps(ENVIRONMENT).encode()
        begun = self.begin("call", Invocation(called, tenant, *texts, None, limits or Limits(wall=20.0)))
        return lambda: Answered(*begun.result(60))

    def ask(self, called: Script, **options: Any) -> Answered:
        """Have it call a script."""
        return self.begin_call(called, **options)()

    def pids(self) -> list[int]:
        """Tell the isolates it knows."""
        found: list[int] = self.begin("pids").result(30)
        return found

    def kill(self) -> None:
        """End it as the kernel would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it in order."""
        self._own.shutdown(socket.SHUT_RDWR)
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self._listening.join()
            self._commands.close()
            self._own.close()

    def _listen(self) -> None:
        while True:
            try:
                number, result = self._commands.recv()
            except (EOFError, OSError):
                return
            self._waiting.pop(number).set_result(result)


Serve = Callable[..., Serving]


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start engines that share one folder, as the serving processes of a host do."""
    folder = tmp_path_factory.mktemp("shared")
    started: list[Serving] = []

    def start(**options: Any) -> Serving:
        started.append(Serving(folder, **options))
        return started[-1]

    yield start
    for serving in started:
        serving.stop()


def runs(pid: int) -> bool:
    """Tell whether a process is there and not just about to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_processes_share_the_isolate_of_a_version(serve: Serve) -> None:
    first, second, third = serve(), serve(), serve()
    counting = script(COUNTING)
    first.begin("check", counting).result(30)

    assert [serving.ask(counting).json() for serving in (second, first, third, second)] == [1, 2, 3, 4]
    assert first.pids() == second.pids() == third.pids()
    assert [serving.begin("isolates").result(10) for serving in (first, second, third)] == [1, 0, 0]
    assert first.ask(script(COUNTING)).json() == 1


def test_one_process_loads_while_the_others_wait(serve: Serve) -> None:
    servings = [serve(), serve(), serve()]
    for serving in servings:
        serving.pids()  # it is there
    loading = script(LOADING)
    answers = [serving.begin_call(loading) for serving in servings for _ in range(3)]

    assert sorted(answer().json() for answer in answers) == list(range(1, 10))
    assert sum(serving.begin("isolates").result(10) for serving in servings) == 1


def test_installations_apart_are_apart_in_all_processes(serve: Serve) -> None:
    first, second = serve(per_installation=True), serve(per_installation=True)
    counting = script(COUNTING)
    first.begin("check", counting).result(30)

    asked = [(first, "a"), (second, "a"), (second, "b"), (first, "b")]
    assert [serving.ask(counting, tenant=tenant).json() for serving, tenant in asked] == [1, 2, 1, 2]


def test_what_a_call_logs_and_requests_is_in_its_own_trace(serve: Serve, peer: str) -> None:
    allow = (peer.removeprefix("http://"),)
    servings = [serve(allow=allow), serve(allow=allow)]
    fetching = script(FETCHING)
    servings[0].ask(fetching, event={"turns": 0, "peer": peer, "name": "first"})
    answers = [
        (name, turns, serving.begin_call(fetching, event={"turns": turns, "peer": peer, "name": name}))
        for serving, name, turns in zip(servings * 4, "abcdefgh", range(1, 9), strict=True)
    ]

    for name, turns, answer in answers:
        answered = answer()
        assert answered.body == name.encode()
        assert [line.message for line in answered.trace.logs] == [name]
        assert [entry.url for entry in answered.trace.subrequests] == [f"{peer}/{name}"] * turns
        assert answered.trace.usage.subrequests == turns


def test_the_limit_of_requests_holds_for_each_call(serve: Serve, peer: str) -> None:
    allow = (peer.removeprefix("http://"),)
    first, second = serve(allow=allow), serve(allow=allow)
    fetching = script(FETCHING)
    first.ask(fetching, event={"turns": 1, "peer": peer, "name": "first"})

    limits = Limits(wall=10.0, subrequests=3)
    assert second.ask(fetching, event={"turns": 3, "peer": peer, "name": "as many"}, limits=limits).body == b"as many"
    refused = second.ask(fetching, event={"turns": 4, "peer": peer, "name": "one too many"}, limits=limits)
    assert refused.trace.fault is not None
    assert "limit of 3 requests" in refused.trace.fault.message


def test_who_started_an_isolate_is_killed_and_another_process_starts_one(serve: Serve) -> None:
    first, second, third = serve(), serve(), serve()
    counting = script(COUNTING)
    assert [serving.ask(counting).json() for serving in (first, second, third)] == [1, 2, 3]
    (pid,) = first.pids()
    first.kill()

    # At once: the isolate may still be ending.
    assert [serving.ask(counting).json() for serving in (second, third, second)] == [1, 2, 3]
    assert second.pids() == third.pids() != [pid]


def test_a_call_in_flight_learns_that_who_started_its_isolate_was_killed(serve: Serve) -> None:
    first, second = serve(), serve()
    sleeping = script(SLEEPING)
    first.ask(sleeping)
    waiting = second.begin_call(sleeping)
    wait_for(lambda: second.pids() == first.pids())
    time.sleep(0.3)  # the script sleeps
    first.kill()

    answered = waiting()
    assert answered.status == 502
    assert answered.trace.failure is not None
    assert second.ask(sleeping).body == b"slept"


def test_a_borrower_that_is_killed_holds_nothing(serve: Serve) -> None:
    first, second, third = serve(idle_seconds=0.5), serve(idle_seconds=0.5), serve(idle_seconds=0.5)
    sleeping = script(SLEEPING)
    first.ask(sleeping)
    (pid,) = first.pids()
    for _ in range(4):
        second.begin_call(sleeping)
    wait_for(lambda: second.pids() == [pid])
    time.sleep(0.3)  # the script sleeps
    second.kill()

    assert third.ask(sleeping).body == b"slept"  # the isolate has taken no harm
    wait_for(lambda: not runs(pid))  # and goes when nobody has used it for a while
    assert first.ask(sleeping).body == b"slept"


def test_an_isolate_stays_while_another_process_uses_it(serve: Serve) -> None:
    first, second = serve(idle_seconds=0.4), serve(idle_seconds=5.0)
    counting = script(COUNTING)
    first.ask(counting)

    def asked_again() -> int:
        time.sleep(0.2)
        count: int = second.ask(counting).json()
        return count

    assert [asked_again() for _ in range(6)] == [2, 3, 4, 5, 6, 7]


def test_one_that_gives_an_isolate_back_leaves_it_to_the_others(serve: Serve) -> None:
    first, second = serve(idle_seconds=30.0), serve(idle_seconds=0.2)
    counting = script(COUNTING)
    assert [first.ask(counting).json(), second.ask(counting).json()] == [1, 2]
    wait_for(lambda: second.pids() == [])

    assert [first.ask(counting).json(), second.ask(counting).json()] == [3, 4]


def test_who_ends_in_order_waits_for_the_calls_of_others(serve: Serve) -> None:
    first, second = serve(), serve()
    sleeping = script(SLEEPING)
    first.ask(sleeping)
    (pid,) = first.pids()
    waiting = second.begin_call(sleeping)
    wait_for(lambda: second.pids() == [pid])
    time.sleep(0.3)  # the script sleeps
    closing = first.begin("close")

    assert waiting().body == b"slept"
    closing.result(10)
    assert not runs(pid)
    assert second.ask(sleeping).body == b"slept"
    assert second.pids() != [pid]


def test_memory_is_bounded_whoever_calls(serve: Serve) -> None:
    first, second = serve(), serve()
    greedy = script(GREEDY)
    limits = Limits(wall=9.0)
    beside = first.begin_call(greedy, limits=limits)
    wait_for(lambda: len(first.pids()) == 1)
    failed = second.ask(greedy, event={"keep": True}, limits=limits)

    assert failed.trace.failure is not None
    assert failed.trace.failure.limit == "memory"
    assert beside().trace.failure is not None  # it was in the same process
    assert first.ask(script(COUNTING)).json() == 1
    assert second.begin_call(greedy, limits=Limits(wall=1.0))().trace.failure.limit == "wall"


@pytest.mark.parametrize("limits", [Limits(wall=1.0), Limits(wall=10.0, cpu=0.5)], ids=["wall", "cpu"])
def test_an_endless_loop_is_ended_whoever_calls(serve: Serve, limits: Limits) -> None:
    first, second = serve(), serve()
    spinning = script(SPINNING)
    assert first.ask(spinning).body == b"here"
    failed = second.ask(spinning, event={"spin": True}, limits=limits)

    assert failed.trace.failure is not None
    assert failed.trace.failure.limit in ("wall", "cpu")
    assert [serving.ask(spinning).body for serving in (first, second)] == [b"here", b"here"]


def test_what_was_left_by_a_killed_process_is_no_hindrance(serve: Serve) -> None:
    first = serve()
    counting = script(COUNTING)
    first.ask(counting)
    first.kill()
    second, third = serve(), serve()

    assert [second.ask(counting).json(), third.ask(counting).json()] == [1, 2]


def test_a_version_is_retired_while_a_call_waits_for_a_channel_of_another_process(serve: Serve) -> None:
    first, second = serve(idle_seconds=2.0), serve(idle_seconds=2.0)
    stubborn = script(STUBBORN)
    first.ask(stubborn)
    (pid,) = first.pids()
    # Too long an answer: its channel is given up, and the next call has to have one opened.
    assert second.ask(stubborn, event={"length": 2000}, limits=Limits(response=1000)).status == 502
    beside = first.begin_call(stubborn, event={"milliseconds": 1500})
    time.sleep(0.3)  # nothing is opened in the isolate while its script computes
    waiting = second.begin_call(stubborn)
    time.sleep(0.3)
    second.begin("retire", stubborn.version).result(10)

    assert waiting().body == b"xxxx"
    assert beside().body == b"xxxx"
    assert [first.ask(stubborn).body, second.ask(stubborn).body, first.ask(stubborn).body] == [b"xxxx"] * 3
    wait_for(lambda: not runs(pid))  # nothing is counted in it any more


def test_isolates_that_are_gone_leave_no_descriptors_and_no_names(serve: Serve) -> None:
    first, second = serve(idle_seconds=30.0), serve(idle_seconds=30.0)
    for _ in range(12):
        stubborn = script(STUBBORN)
        assert [first.ask(stubborn).body, second.ask(stubborn).body] == [b"xxxx", b"xxxx"]
        for serving in (second, first):
            serving.begin("retire", stubborn.version).result(10)
    gone = "call_counts (deleted)"
    wait_for(lambda: not [name for serving in (first, second) for name in opened(serving) if name.endswith(gone)])
    wait_for(lambda: not first.pids())

    stubborn = script(STUBBORN)
    first.ask(stubborn)
    (pid,) = first.pids()
    for serving in (first, second):
        for _ in range(6):  # each gives up a channel
            assert serving.ask(stubborn, event={"length": 2000}, limits=Limits(response=1000)).status == 502
    assert second.pids() == [pid]
    names = [path.name for path in serving_folder(first).glob("*/host/egress*")]
    assert len(names) <= 2 * 2


def opened(serving: Serving) -> list[str]:
    """Give the names of what a process has open."""
    names = []
    for entry in Path(f"/proc/{serving.process.pid}/fd").iterdir():
        try:
            names.append(str(entry.readlink()))
        except FileNotFoundError:  # it has just been closed
            continue
    return names


def serving_folder(serving: Serving) -> Path:
    """Give the folder of a process's own isolates, by the lock that it holds there."""
    return next(Path(name).parent for name in opened(serving) if name.endswith("/lock") and "integration-js-" in name)
