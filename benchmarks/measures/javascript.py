"""The peer's own bundle on the host: first answer, warm renders, save to render, and a hundred integrations."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks import load, peers
from benchmarks.hosts import Host, Unmeasurable, running
from benchmarks.measures import first_render, save
from benchmarks.memory import proportional
from benchmarks.results import Result
from benchmarks.scripts import render_body

SECONDS = 4
TIMES = 1.2
"""How many times as many warm renders as the peer there should be."""
MANY = 100
MEGABYTE = 1_000_000


def measure() -> Iterator[Result]:
    """Publish the bundle that the peer serves, and ask both for the same render."""
    with tempfile.TemporaryDirectory(prefix="benchmark-bundle-") as folder:
        made = Path(folder) / "bundle.mjs"
        peers.bundle(made)
        script = made.read_text(encoding="utf-8")
    yield first_render.compared("js-first-render", "JavaScript: first render after publish", 120, script, "v2", "//")
    yield from _warm(script)
    yield from _many(script)
    yield _save()


def _warm(script: str) -> Iterator[Result]:
    with peers.serving() as peer:
        load.once(peer.url, peer.body, peers.HEADERS, 3, 8)
        alone = load.best(peer.url, peer.body, peers.HEADERS, SECONDS)
    for workers in (1, 2):
        with running(workers) as host:
            host.publish("warm", script, runtime="v2")
            space = host.install("warm")
            url = f"{host.url}/v1/integrations/warm/render"
            headers = {"Authorization": f"Bearer {host.token}", "Content-Type": "application/json"}
            body = json.dumps(render_body(space)).encode()
            load.once(url, body, headers, 2, 16)
            got = load.best(url, body, headers, SECONDS)
        what = f"JavaScript: warm renders, with {workers} process{'es' * (workers > 1)}"
        note = f"{got.connections} connections, median {got.median:.1f} ms"
        note += f"; peer {alone.connections}, {alone.median:.1f} ms; target: {TIMES} times the peer"
        yield Result("js-warm-renders", what, "/s", got.rate, TIMES * alone.rate, False, alone.rate, note)


def _many(script: str) -> Iterator[Result]:
    with running() as host:
        assert host.process is not None
        most = 0
        spaces = {}
        for number in range(MANY):
            name = f"many-{number}"
            host.publish(name, f"{script}\n// {name}\n", runtime="v2")
            spaces[name] = host.install(name)
        for name, space in spaces.items():
            _must_show(host, name, space)
            most = max(most, proportional(host.process.pid))
    note = f"the most PSS of all processes while each is called once; {MANY} published, no failure"
    yield Result("js-many", f"JavaScript: host with {MANY} integrations", "MB", most / MEGABYTE, 1000, True, note=note)


def _must_show(host: Host, name: str, space: str) -> None:
    shown = host.render(name, space)
    if "Clicked 0 times" not in shown:
        raise Unmeasurable(f"{name} drew something else: {shown[:200]}")


def _save() -> Result:
    took, peer = save.typescript()
    note = f"slowest {max(took):.0f} ms; peer {max(peer):.0f} ms"
    return Result("js-save", "JavaScript: save to new render", "ms", median(took), 50, True, median(peer), note)
