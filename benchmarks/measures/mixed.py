"""Renders and writes of one organization at the same time, over 64 connections: how long each kind of them waits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import load
from benchmarks.hosts import Host, running
from benchmarks.memory import proportional
from benchmarks.results import Result
from benchmarks.scripts import render_body

SECONDS = 75
SETTLED = 60
"""Seconds after which memory should grow no more."""
NAMES = 4
"""Integrations that are published over and over."""
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is sent over some of the connections; `NUMBER` in a body is another number in each request."""

    name: str
    method: str
    paths: list[str]
    body: dict[str, Any]
    connections: int


def measure() -> Iterator[Result]:
    """Load the host for a little more than a minute; what it refuses because it is busy is told with each row."""
    with running() as host:
        assert host.process is not None
        kinds = _kinds(host)
        loads = [(kind, load.begin(host.url, _script(host, kind), SECONDS, kind.connections)) for kind in kinds]
        time.sleep(SETTLED)
        settled = proportional(host.process.pid)
        waited = [(kind, load.ended(process)) for kind, process in loads]
        grown = proportional(host.process.pid) - settled
    for kind, (got, refused) in waited:
        note = f"{kind.connections} of 64 connections, {got.rate:.0f} /s; {refused} refused in {SECONDS} s"
        target = None if kind.name == "a render" else 100
        yield Result("mixed", f"{kind.name} beside others: median", "ms", got.median, target, True, note=note)
    note = f"PSS of all processes, in the {SECONDS - SETTLED} s after the first {SETTLED}"
    yield Result("mixed-memory", "memory grows under that load", "MB", max(0, grown) / MEGABYTE, 10, True, note=note)


def _kinds(host: Host) -> list[_Kind]:
    host.publish("mixed")
    space = host.install("mixed")
    (installed,) = host.call("GET", f"/v1/orgs/{host.organization}/installations")["items"]
    installation = f"/v1/integrations/mixed/installations/{installed['installation']['id']}"
    event = {"type": "space_content_updated", "spaceId": space, "revisionId": "NUMBER"}
    return [
        _Kind("a render", "POST", ["/v1/integrations/mixed/render"], render_body(space), 40),
        _Kind(
            "publishing",
            "POST",
            [f"/v1/integrations/mixed-{number}" for number in range(NAMES)],
            host.publication("# NUMBER"),
            8,
        ),
        _Kind("configuring", "PATCH", [f"{installation}/spaces/{space}"], {"configuration": {"n": "NUMBER"}}, 8),
        _Kind("an event", "POST", ["/v1/integrations/mixed/events"], {"event": event}, 8),
    ]


def _script(host: Host, kind: _Kind) -> str:
    headers = {"Authorization": f"Bearer {host.token}", "Content-Type": "application/json"}
    return load.numbered_script(kind.method, kind.paths, kind.body, headers)
