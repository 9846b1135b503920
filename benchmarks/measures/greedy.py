"""How long a tenant waits beside one that takes all it can get: slow calls, slow events, checks that hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from benchmarks.hosts import Host, Unmeasurable, running
from benchmarks.results import Result

GREEDY = """
import os, socket, time
from runtime.sdk import Integration, Response

integration = Integration()

@integration.on("space_content_updated")
def updated(event):
    time.sleep(8)

@integration.fetch("GET", "/sleeps")
def sleeps():
    time.sleep(8)
    return Response("slept")

@integration.fetch("GET", "/connects")
def connects():
    proxy = os.environ["EGRESS_PROXY"].rpartition("//")[2].rpartition(":")
    kept = [socket.create_connection((proxy[0], int(proxy[2]))) for _ in range(8)]
    time.sleep(8)
    return Response("connected")
"""
HANGS = "import time\ntime.sleep(8)\nfrom runtime.sdk import Integration\nintegration = Integration()\n"
INTEGRATIONS, CALLERS, PUBLISHERS, EVENTS = 9, 16, 12, 100
SAMPLES, EVENT_SAMPLES = 300, 60
MOST = 3.0
"""How many times longer than alone the slowest of a hundred may take."""


def measure() -> Iterator[Result]:
    """Measure one tenant alone, then beside the other, in the same host."""
    with running() as host:
        host.publish("quiet")
        quiet = Quiet(host, host.install("quiet"))
        quiet.sample()
        alone = quiet.sample()
        with Greed(host):
            beside = quiet.sample()
    for what, before in alone.items():
        note = f"p99 {before * 1000:.1f} ms alone, {beside[what] * 1000:.1f} ms beside it"
        yield Result(
            "greedy", f"{what} beside a greedy tenant", "x alone", beside[what] / before, MOST, True, note=note
        )


class Quiet:
    """The tenant that goes about its business."""

    def __init__(self, host: Host, space: str) -> None:
        self._host, self._space = host, space

    def sample(self) -> dict[str, float]:
        """Give the 99th of a hundred of each kind of request, in seconds."""
        host = self._host
        return {
            "a render": _p99(lambda: host.render("quiet", self._space), SAMPLES),
            "health": _p99(lambda: host.http.get(f"{host.url}/healthz", timeout=60), SAMPLES),
            "a list": _p99(lambda: host.call("GET", f"/v1/orgs/{host.organization}/spaces"), SAMPLES),
            "an event": _p99(self._event, EVENT_SAMPLES),
        }

    def _event(self) -> None:
        event = {"type": "space_content_updated", "spaceId": self._space, "revisionId": "r" * 20}
        sent = self._host.call("POST", "/v1/integrations/quiet/events", {"event": event})["events"][0]
        deadline = time.perf_counter() + 60
        while time.perf_counter() < deadline:
            detail = self._host.call("GET", f"/v1/integrations/quiet/events/{sent}")
            if detail["event"]["delivery"]["state"] == "delivered":
                return
            time.sleep(0.005)
        raise Unmeasurable("an event was not delivered in a minute")


class Greed:
    """The other tenant: all its callers go on until it is told to stop."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._organization, self._token = host.account("Greedy", "greedy@example.com")
        self._done = threading.Event()
        self._threads = ThreadPoolExecutor(INTEGRATIONS * CALLERS + PUBLISHERS)

    def __enter__(self) -> Greed:
        for number in range(INTEGRATIONS):
            name = f"greedy-{number}"
            self._publish(name, GREEDY)
            space = self._call("POST", f"/v1/orgs/{self._organization}/spaces", {"title": "Greedy"})["id"]
            base = f"/v1/integrations/{name}/installations"
            made = self._call("POST", base, {"organization": self._organization})
            self._call("POST", f"{base}/{made['id']}/spaces", {"space": space})
            event = {"type": "space_content_updated", "spaceId": space, "revisionId": "r" * 20}
            self._call("POST", f"/v1/integrations/{name}/events", {"event": event, "count": EVENTS})
            for caller in range(CALLERS):
                self._threads.submit(self._again, lambda n=name, c=caller: self._fetch(n, c))  # type: ignore[misc]
        for number in range(PUBLISHERS):
            self._threads.submit(self._again, lambda n=number: self._publish(f"hangs-{n}", HANGS))  # type: ignore[misc]
        time.sleep(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._threads.shutdown()

    def _again(self, work: Callable[[], Any]) -> None:
        while not self._done.is_set():
            try:
                work()
            except requests.RequestException:
                self._done.wait(1.0)  # refused, as it should be; it comes again when it was told to

    def _fetch(self, name: str, caller: int) -> None:
        path = "connects" if caller % 4 == 0 else "sleeps"
        answer = requests.get(f"{self._host.url}/v1/integrations/{name}/{path}", timeout=60)
        answer.raise_for_status()

    def _publish(self, name: str, script: str) -> None:
        body = {"title": "Greedy", "description": "", "scopes": ["space:content:read"], "runtime": "python"}
        self._call("POST", f"/v1/integrations/{name}", {**body, "script": script, "organization": self._organization})

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        answer = requests.request(method, self._host.url + path, json=body, headers=headers, timeout=60)
        answer.raise_for_status()
        return answer.json()


def _p99(work: Callable[[], Any], count: int) -> float:
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return sorted(taken)[int(count * 0.99) - 1]
