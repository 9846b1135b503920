"""How long a tenant waits beside one that takes all it can get.

Load and samples come from processes of their own, so that none waits for the other's interpreter. They share the
machine with the host all the same: the note says what two busy programs cost that have nothing to do with the host.
"""

from __future__ import annotations

import http.client
import json
import math
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from benchmarks.hosts import Host, Unmeasurable, running
from benchmarks.results import Result
from benchmarks.scripts import render_body

SECONDS = 6.0
"""How long is sampled each time; the whole takes about a minute."""
SETTING_UP = 60.0
TURN = 0.25
"""Seconds for which one kind of request is made before it is the next one's turn."""
MOST = 3.0
"""How many times longer than alone the slowest of a hundred may take."""
LARGE_PAGE = 300.0
"""Milliseconds that the slowest request may take beside a tenant that reads the largest page there may be."""
BUSY = "while True: sum(range(1000))"

Samples = dict[str, list[float]]


def measure() -> Iterator[Result]:
    """Measure one tenant alone, beside busy programs, and beside a greedy tenant, in the same host."""
    with running() as host:
        host.publish("quiet")
        quiet = Quiet(host, host.install("quiet"))
        quiet.sample(2)
        alone = quiet.sample(SECONDS)
        with _busy():
            busy = quiet.sample(SECONDS)
        with _large_page(host):
            large = [one for taken in quiet.sample(SECONDS).values() for one in taken]
        with _greed(host):
            beside = quiet.sample(SECONDS * 1.5)
    for what, taken in alone.items():
        before, other, after = (_p99(one[what]) for one in (alone, busy, beside))
        middle, many = median(beside[what]), len(beside[what])
        note = f"p99 {before * 1000:.1f} ms alone, {after * 1000:.1f} ms beside it, of {many:,} samples"
        note += f" (medians {median(taken) * 1000:.1f} and {middle * 1000:.1f} ms);"
        note += f" beside two busy programs {other * 1000:.1f} ms"
        yield Result("greedy", f"{what} beside a greedy tenant", "x alone", after / before, MOST, True, note=note)
    note = f"the slowest of {len(large):,} requests of all kinds, p99 {_p99(large) * 1000:.1f} ms"
    slowest = max(large) * 1000
    yield Result("greedy", "beside a reader of the largest page", "ms", slowest, LARGE_PAGE, True, note=note)


class Quiet:
    """The tenant that goes about its business, over one connection."""

    def __init__(self, host: Host, space: str) -> None:
        self._host = host
        self._http = http.client.HTTPConnection("127.0.0.1", host.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {host.token}", "Content-Type": "application/json"}
        self._event = {"event": {"type": "space_content_updated", "spaceId": space, "revisionId": "r" * 20}}
        self._wanted = render_body(space)

    def sample(self, seconds: float) -> Samples:
        """Take turns between the kinds of requests; gives how many seconds each took."""
        taken: Samples = defaultdict(list)
        deadline = time.perf_counter() + seconds
        kinds = {"a render": self._render, "health": self._health, "a list": self._list, "an event": self._deliver}
        while time.perf_counter() < deadline:
            for what, work in kinds.items():
                turn = time.perf_counter() + TURN
                while not taken[what] or time.perf_counter() < turn:
                    taken[what].append(_timed(work))
        return taken

    def _render(self) -> None:
        self._call("POST", "/v1/integrations/quiet/render", self._wanted)

    def _health(self) -> None:
        self._call("GET", "/healthz")

    def _list(self) -> None:
        self._call("GET", f"/v1/orgs/{self._host.organization}/spaces")

    def _deliver(self) -> None:
        sent = json.loads(self._call("POST", "/v1/integrations/quiet/events", self._event))["events"][0]
        deadline = time.perf_counter() + 60
        while time.perf_counter() < deadline:
            detail = json.loads(self._call("GET", f"/v1/integrations/quiet/events/{sent}"))
            if detail["event"]["delivery"]["state"] == "delivered":
                return
            time.sleep(0.005)
        raise Unmeasurable("an event was not delivered in a minute")

    def _call(self, method: str, path: str, body: Any = None) -> bytes:
        self._http.request(method, path, json.dumps(body) if body else None, self._headers)
        answer = self._http.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise Unmeasurable(f"{method} {path} of the quiet tenant was answered {answer.status}: {text[:200]!r}")
        return text


@contextmanager
def _busy() -> Iterator[None]:
    """Have two programs compute that have nothing to do with the host."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@contextmanager
def _large_page(host: Host) -> Iterator[None]:
    """Have another tenant read the largest page there may be, again and again."""
    organization, token = host.account("Large", "large@example.com")
    command = [sys.executable, "-m", "benchmarks.large_page"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        program.stdin.write(json.dumps({"url": host.url, "organization": organization, "token": token}) + "\n")
        program.stdin.flush()
        if program.stdout.readline() != "ready\n":
            raise Unmeasurable("the largest page could not be written; what is above says why")
        yield
        if program.poll() is not None:
            raise Unmeasurable("the reader of the largest page ended; what is above says why")
    finally:
        program.kill()
        program.wait()


@contextmanager
def _greed(host: Host) -> Iterator[None]:
    """Have another tenant take all it can get."""
    organization, token = host.account("Greedy", "greedy@example.com")
    told = {"url": host.url, "organization": organization, "token": token, "seconds": SETTING_UP}
    command = [sys.executable, "-m", "benchmarks.greed"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        program.stdin.write(json.dumps(told) + "\n")
        program.stdin.flush()
        if program.stdout.readline() != "ready\n":
            raise Unmeasurable("the greedy tenant could not begin; what is above says why")
        yield
        program.stdin.close()
        got = json.loads(program.stdout.readline())
        print(f"the greedy tenant was answered {got['answered']} times, refused {got['refused']}", file=sys.stderr)
        if not got["answered"]:
            raise Unmeasurable("the greedy tenant got nothing: it was no load")
    finally:
        program.kill()
        program.wait()


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _p99(taken: list[float]) -> float:
    """Give the slowest of a hundred; of fewer samples the slowest."""
    return sorted(taken)[max(0, math.ceil(len(taken) * 0.99) - 1)]
