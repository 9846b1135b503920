"""From saving a file to a render that shows the change."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import requests

from benchmarks import peers
from benchmarks.hosts import Unmeasurable, free_port
from benchmarks.results import Result
from benchmarks.scripts import render_body

SAMPLE = Path(__file__).parents[2] / "sample_integrations" / "counter"
MANIFEST = """
name: counter
title: Counter
script: src/index.tsx
scopes: []
blocks:
  - id: counter
    title: Counter
"""
TIMES = 20
PAUSE = 0.3


def measure() -> Iterator[Result]:
    """Change one word of the sample under `devkit dev`, and of the peer's script under its development server."""
    with tempfile.TemporaryDirectory(prefix="benchmark-save-") as folder:
        took = _host(Path(folder) / "counter")
        peer = _peer(Path(folder) / "counter.tsx")
    note = f"slowest {max(took):.0f} ms; peer {max(peer):.0f} ms"
    yield Result("save-to-render", "save to new render", "ms", median(took), 50, True, median(peer), note)


def typescript() -> tuple[list[float], list[float]]:
    """Do the same with the peer's own source as a project in TypeScript; gives the host's and the peer's times."""
    with tempfile.TemporaryDirectory(prefix="benchmark-save-") as folder:
        project = Path(folder) / "counter"
        (project / "src").mkdir(parents=True)
        (project / "node_modules").symlink_to(peers.FOLDER / "node_modules")
        (project / "gitbook-manifest.yaml").write_text(MANIFEST, encoding="utf-8")
        shutil.copy(peers.SOURCE, project / "src" / "index.tsx")
        return _dev(project, "src/index.tsx"), _peer(Path(folder) / "counter.tsx")


def _host(project: Path) -> list[float]:
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns(".devkit", "__pycache__"))
    return _dev(project, "integration.py")


def _dev(project: Path, script: str) -> list[float]:
    command = [sys.executable, "-m", "devkit", "dev", str(project), "--no-open", "--json", "--port", str(free_port())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        return _edits(process, project / script)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _edits(process: subprocess.Popen[str], script: Path) -> list[float]:
    told = ready(process)
    key = told["url"].partition("#key=")[2]
    http = requests.Session()
    http.headers["Authorization"] = f"Bearer {key}"
    name = told["url"].partition("#")[0].rpartition("/")[2]
    state = http.get(f"{told['host']}/preview/api/{name}", timeout=30).json()
    body = render_body(state["space"]["id"])
    versions: queue.SimpleQueue[float] = queue.SimpleQueue()
    stream = http.get(f"{told['host']}/preview/api/{name}/stream", stream=True, timeout=120)
    threading.Thread(target=_listen, args=(stream, versions), daemon=True).start()
    poster = requests.Session()
    poster.headers["Authorization"] = f"Bearer {key}"

    def shows(text: str) -> bool:
        versions.get(timeout=30)
        answer = poster.post(f"{told['host']}/v1/integrations/{name}/render", json=body, timeout=30)
        return text in answer.text

    shown = poster.post(f"{told['host']}/v1/integrations/{name}/render", json=body, timeout=30)
    if "Clicked 0 times" not in shown.text:
        raise Unmeasurable(f"the sample does not show what this measurement looks for: {shown.text[:200]}")
    return _timed(script, shows)


def ready(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Read on until the preview is ready, and keep the pipe empty from then on."""
    assert process.stdout is not None
    for line in process.stdout:
        told = json.loads(line)
        if told["type"] == "ready":
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return dict(told)
    raise Unmeasurable("`devkit dev` ended before its preview was ready")


def _listen(stream: requests.Response, versions: queue.SimpleQueue[float]) -> None:
    # By the byte: a larger chunk would arrive only when it is full.
    for line in stream.iter_lines(chunk_size=1):
        if line == b"event: version":
            versions.put(time.perf_counter())


def _timed(source: Path, shows: Any) -> list[float]:
    """Save the source with another text each time, and wait until it shows."""
    took = []
    text = source.read_text()
    for number in range(TIMES):
        time.sleep(PAUSE)
        new = f"Pressed {number} of"
        began = time.perf_counter()
        source.write_text(text.replace("Clicked", new))
        while not shows(new):
            if time.perf_counter() - began > 30:
                raise Unmeasurable(f"a change of {source.name} did not show in 30 s")
        took.append((time.perf_counter() - began) * 1000)
    return took


def _peer(source: Path) -> list[float]:
    shutil.copy(peers.SOURCE, source)
    with peers.running("dev", source) as peer:

        def shows(text: str) -> bool:
            peer.wait("reloaded")
            return text in peer.render()

        return _timed(source, shows)
