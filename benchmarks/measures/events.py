"""Events committed and delivered: in one request, and one by one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import requests

from benchmarks import load
from benchmarks.hosts import Host, Unmeasurable, running
from benchmarks.results import Result

TOGETHER = 5_000
SECONDS, CONNECTIONS = 5, 16
"""Of events that are posted one by one."""
EVENT = {"type": "space_content_updated", "revisionId": "r" * 20}


def measure() -> Iterator[Result]:
    """Time from the first request until the last event is delivered, on SQLite; then count those posted one by one."""
    with running() as host:
        host.publish("events")
        event = {**EVENT, "spaceId": host.install("events")}
        _deliver(host, lambda: _post(host, requests.Session(), event, 200), 200)
        rate = _deliver(host, lambda: _post(host, requests.Session(), event, TOGETHER), TOGETHER)
        note = f"{TOGETHER:,} in one request, one installation"
        yield Result("events", "events committed and delivered", "/s", rate, 4_000, False, note=note)
        yield _singly(host, event)


def _singly(host: Host, event: dict[str, Any]) -> Result:
    """Post events with one request each; all that were taken are delivered before the number counts."""
    url, headers = f"{host.url}/v1/integrations/events/events", {"Authorization": f"Bearer {host.token}"}
    body = json.dumps({"event": event}).encode()
    taken = load.once(url, body, headers | {"Content-Type": "application/json"}, SECONDS, CONNECTIONS)
    began = time.perf_counter()
    _wait(host)
    left = time.perf_counter() - began
    note = f"{CONNECTIONS} connections, median {taken.median:.0f} ms; the last is delivered {left:.1f} s after the load"
    return Result("events-singly", "events posted one by one", "/s", taken.rate, 1_000, False, note=note)


def _deliver(host: Host, send: Callable[[], None], count: int) -> float:
    _wait(host)  # the installation's own events
    began = time.perf_counter()
    send()
    _wait(host)
    return count / (time.perf_counter() - began)


def _wait(host: Host) -> None:
    deadline = time.perf_counter() + 120
    while host.has_unfinished():
        if time.perf_counter() > deadline:
            raise Unmeasurable("events were not delivered in two minutes")
        time.sleep(0.01)


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
