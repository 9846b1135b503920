"""Warm renders through the full host, over HTTP, against the peer alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks import load, peers
from benchmarks.hosts import Host, running
from benchmarks.load import Load
from benchmarks.results import Result
from benchmarks.scripts import render_body

SECONDS = 4
TIMES = 1.6
"""How many times as many warm renders as the peer there should be."""


def measure() -> Iterator[Result]:
    """Load the host with one and with two processes, and the peer; the best number of connections counts."""
    with peers.serving() as peer:
        load.once(peer.url, peer.body, peers.HEADERS, 3, 8)  # its compiler warms up
        alone = load.best(peer.url, peer.body, peers.HEADERS, SECONDS)
    for workers in (1, 2):
        with running(workers) as host:
            host.publish("warm")
            space = host.install("warm")
            what = f"with {workers} process{'es' * (workers > 1)}"
            warm = _load(host, space, "counter")
            yield _result("warm-renders", f"warm renders, {what}", warm, TIMES, alone)
            cached = _load(host, space, "cached")
            yield _result("cached-renders", f"cached renders, {what}", cached, 3, alone)


def _load(host: Host, space: str, component: str) -> Load:
    url = f"{host.url}/v1/integrations/warm/render"
    headers = {"Authorization": f"Bearer {host.token}", "Content-Type": "application/json"}
    body = json.dumps(render_body(space, component)).encode()
    load.once(url, body, headers, 1, 16)  # every process has its scripts running
    return load.best(url, body, headers, SECONDS)


def _result(name: str, what: str, got: Load, times: float, peer: Load) -> Result:
    note = f"{got.connections} connections, median {got.median:.1f} ms; peer {peer.connections}, {peer.median:.1f} ms"
    note += f"; target: {times} times the peer"
    return Result(name, what, "/s", got.rate, times * peer.rate, False, peer.rate, note)
