"""Events committed and delivered: in one request, and one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from benchmarks.hosts import Host, Unmeasurable, running
from benchmarks.results import Result

TOGETHER, SINGLE, THREADS = 5_000, 1_500, 4
EVENT = {"type": "space_content_updated", "revisionId": "r" * 20}


def measure() -> Iterator[Result]:
    """Time from the first request until the last event is delivered, on SQLite."""
    with running() as host:
        host.publish("events")
        event = {**EVENT, "spaceId": host.install("events")}
        _deliver(host, lambda: _post(host, requests.Session(), event, 200), 200)
        rate = _deliver(host, lambda: _post(host, requests.Session(), event, TOGETHER), TOGETHER)
        note = f"{TOGETHER:,} in one request, one installation"
        yield Result("events", "events committed and delivered", "/s", rate, 500, False, note=note)
        rate = _deliver(host, lambda: _singly(host, event), SINGLE)
        note = f"{SINGLE:,} requests from {THREADS} threads"
        yield Result("events", "events posted one by one and delivered", "/s", rate, 500, False, note=note)


def _deliver(host: Host, send: Callable[[], None], count: int) -> float:
    _wait(host)  # the installation's own events
    began = time.perf_counter()
    send()
    _wait(host)
    return count / (time.perf_counter() - began)


def _wait(host: Host) -> None:
    deadline = time.perf_counter() + 120
    while host.unfinished():
        if time.perf_counter() > deadline:
            raise Unmeasurable("events were not delivered in two minutes")
        time.sleep(0.05)


def _post(host: Host, http: requests.Session, event: dict[str, Any], count: int) -> None:
    answer = http.post(
        f"{host.url}/v1/integrations/events/events",
        json={"event": event, "count": count},
        headers={"Authorization": f"Bearer {host.token}"},
        timeout=120,
    )
    answer.raise_for_status()
    if len(answer.json()["events"]) != count:
        raise Unmeasurable(f"the event matched no installation: {answer.text[:200]}")


def _singly(host: Host, event: dict[str, Any]) -> None:
    def some(_: int) -> None:
        with requests.Session() as http:
            for _ in range(SINGLE // THREADS):
                _post(host, http, event, 1)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(some, range(THREADS)))
