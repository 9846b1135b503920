"""Memory: a host with one warm integration, and what each further worker adds."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import peers
from benchmarks.hosts import Host, running
from benchmarks.memory import proportional
from benchmarks.results import Result

FURTHER = 10
RENDERS = 50
SETTLE = 1.0
MEGABYTE = 1_000_000


def measure() -> Iterator[Result]:
    """Sum the PSS of all processes, then publish and run integrations for other installations and divide what is added.

    A worker starts as soon as its integration is installed, so the others are published only after the first sum.
    """
    with running() as host:
        assert host.process is not None
        _warm(host, "memory")
        one = proportional(host.process.pid)
        for number in range(FURTHER):
            _warm(host, f"memory-{number}")
        all_of_them = proportional(host.process.pid)
    with peers.serving() as peer:
        for _ in range(RENDERS):
            peer.render()
        time.sleep(SETTLE)
        theirs = proportional(peer.process.pid)
    note = "PSS of all processes"
    yield Result("memory", "host with one warm integration", "MB", one / MEGABYTE, 120, True, theirs / MEGABYTE, note)
    further = (all_of_them - one) / FURTHER / MEGABYTE
    note = f"PSS that {FURTHER} more installations add, divided by {FURTHER}"
    yield Result("memory", "each further worker", "MB", further, 15, True, note=note)


def _warm(host: Host, name: str) -> None:
    host.publish(name)
    space = host.install(name)
    for _ in range(RENDERS):
        host.render(name, space)
    time.sleep(SETTLE)
