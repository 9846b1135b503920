"""How long after publishing a version its first render takes; the peer's counterpart is its start."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from benchmarks import peers
from benchmarks.hosts import running
from benchmarks.results import Result
from benchmarks.scripts import COUNTER

TIMES, PEER_TIMES = 20, 5
PAUSE = 0.3
"""Seconds between two rounds: an author does not publish without a break, and neither side gains from one."""


def measure() -> Iterator[Result]:
    """Publish a new version over HTTP and time the first POST render that follows at once."""
    yield compared("first-render", "first render after publish", 15, COUNTER, "python", "#")


def compared(name: str, what: str, target: float, script: str, runtime: str, comment: str) -> Result:
    """Publish a script again and again, each time with another comment, and compare its first render with the peer."""
    took, published = [], []
    with running() as host:
        host.publish("first", script, runtime)
        space = host.install("first")
        for number in range(TIMES):
            time.sleep(PAUSE)
            began = time.perf_counter()
            host.publish("first", f"{script}\n{comment} version {number}\n", runtime)
            published.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            host.render("first", space)
            took.append((time.perf_counter() - began) * 1000)
    peer = median([peers.start_milliseconds() for _ in range(PEER_TIMES)])
    note = f"slowest {max(took):.0f} ms; publishing itself {median(published):.0f} ms"
    return Result(name, what, "ms", median(took), target, True, peer, note)
