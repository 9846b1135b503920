"""Of two hosts on one PostgreSQL one only answers: how soon the other one delivers, with and without RabbitMQ."""

from __future__ import annotations

import copy
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import closing

import requests

from benchmarks.databases import prepared
from benchmarks.hosts import Host, Unmeasurable, free_port
from benchmarks.results import Result

BROKER = os.environ.get("DEVKIT_TEST_BROKER", "amqp://guest:guest@127.0.0.1:5672/")
EVENTS = 40
LOOK_EVERY = 0.003
ONLY_ANSWERS = {"DEVKIT_DISPATCH_THREADS": "0", "DEVKIT_JOB_THREADS": "0"}
EVENT = {"type": "space_content_updated", "revisionId": "r" * 20}


def measure() -> Iterator[Result]:
    """Time events from posting them at one host until the other one has delivered them, at random moments."""
    alone, told = _median({}), _median({"DEVKIT_BROKER_URL": BROKER})
    note = f"median of {EVENTS}, slowest but one {told[1]:.0f} ms; each host looking by itself {alone[0]:.0f} ms"
    yield Result("broker", "event delivered by another host", "ms", told[0], 100, True, note=note)


def _median(environ: dict[str, str]) -> tuple[float, float]:
    with prepared("PostgreSQL") as (asked, _):
        works = copy.copy(asked)
        works.port = free_port()
        works.url = f"http://127.0.0.1:{works.port}"
        asked.start(environ | ONLY_ANSWERS)
        works.start(environ)
        try:
            if environ:
                _wait_for_broker(works)
            asked.publish("told")
            event = {**EVENT, "spaceId": asked.install("told")}
            took = sorted(_deliver(asked, event) for _ in range(EVENTS))
        finally:
            works.stop()
    return statistics.median(took), took[-2]


def _deliver(host: Host, event: dict[str, str]) -> float:
    """Post an event and ask for it until it is delivered; returns milliseconds."""
    time.sleep(random.random() / 2)
    path = "/v1/integrations/told/events"
    began = time.perf_counter()
    (identifier,) = host.call("POST", path, {"event": event})["events"]
    while host.call("GET", f"{path}/{identifier}")["event"]["status"] != "success":
        if time.perf_counter() - began > 60:
            raise Unmeasurable("an event was not delivered in a minute")
        time.sleep(LOOK_EVERY)
    return (time.perf_counter() - began) * 1000


def _wait_for_broker(host: Host) -> None:
    deadline = time.monotonic() + 10
    with closing(requests.Session()) as http:
        while "host_broker_up 1.0" not in http.get(f"{host.url}/metrics", timeout=30).text:
            if time.monotonic() > deadline:
                raise Unmeasurable("there is no RabbitMQ at 127.0.0.1:5672; DEVKIT_TEST_BROKER may name one")
            time.sleep(0.1)
