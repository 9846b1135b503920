"""The author's loop: how long commands take that somebody waits for, and what a tunnel costs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import requests

from benchmarks import load
from benchmarks.hosts import Host, Unmeasurable, free_port, running
from benchmarks.measures.save import SAMPLE
from benchmarks.results import Result

TIMES = 11
OFFICIAL = Path(__file__).parents[2] / "tests" / "clients" / "node_modules" / ".bin" / "gitbook"
LISTENER = """
def app(environ, start):
    environ["wsgi.input"].read()
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]
"""
AUTHORS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""As in an author's environment: this repository's own tests install large plugins, which pytest loads in every run."""
SECONDS = 5
AT_ONCE = 16


def measure() -> Iterator[Result]:
    """Run each command several times as a process; then load a local server directly and through a tunnel."""
    with tempfile.TemporaryDirectory(prefix="benchmark-toolkit-") as folder:
        place = Path(folder)
        yield from _commands(place)
        yield from _with_host(place)
        yield from _tunnel(place)


def _commands(place: Path) -> Iterator[Result]:
    project = place / "counter"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns(".devkit", "__pycache__"))
    official = median(_took([str(OFFICIAL), "--help"], place)) if OFFICIAL.exists() else None
    for name, most, arguments, peer in (
        ("--help", 150, ("--help",), official),
        ("new", 300, ("new", "made", "--template", "block"), None),
        ("check", 1000, ("check", str(project)), None),
        ("test", 500, ("test", str(project)), None),
    ):
        command = [str(Path(sys.executable).with_name("devkit")), *arguments]
        took = _took(command, place, before=lambda: shutil.rmtree(place / "made", ignore_errors=True), environ=AUTHORS)
        note = f"slowest {max(took):.0f} ms" + ("; peer: the official command line" if peer else "")
        yield Result(f"devkit-{name.strip('-')}", f"`devkit {name}`", "ms", median(took), most, True, peer, note)


def _with_host(place: Path) -> Iterator[Result]:
    """Run commands that ask a host, as somebody does who works on a handler."""
    devkit = str(Path(sys.executable).with_name("devkit"))
    with running() as host:
        host.publish("counter")
        space = host.install("counter")
        reached = {"DEVKIT_HOST": host.url, "DEVKIT_TOKEN": host.token}
        project = place / "counter"
        sending = [devkit, "trigger", "space_content_updated", "--integration", "counter", "--space", space]
        took = _took(sending, project, environ=reached)
        yield _waited("trigger", took)
        took = _took([devkit, "logs", "counter"], project, environ=reached)
        yield _waited("logs", took)
        events = host.call("GET", "/v1/integrations/counter/events")["items"]
        sent = next(event["id"] for event in events if event["payload"]["type"] == "space_content_updated")
        took = _took([devkit, "replay", sent, "--integration", "counter"], project, environ=reached)
        yield _waited("replay", took)


def _waited(name: str, took: list[float]) -> Result:
    note = f"slowest {max(took):.0f} ms"
    return Result(f"devkit-{name}", f"`devkit {name}`", "ms", median(took), 250, True, note=note)


def _took(
    command: list[str],
    folder: Path,
    before: Callable[[], None] = lambda: None,
    environ: dict[str, str] | None = None,
) -> list[float]:
    """Run a command several times after a first one that warms the disk; gives milliseconds."""
    took = []
    for _ in range(TIMES + 1):
        before()
        began = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=os.environ | (environ or {}),
        )
        took.append((time.perf_counter() - began) * 1000)
        if done.returncode != 0:
            raise Unmeasurable(f"{' '.join(command)} failed: {done.stderr or done.stdout}")
    return took[1:]


def _tunnel(place: Path) -> Iterator[Result]:
    """Compare calls that go to a server at once with calls that go to it through the host and the tunnel."""
    (place / "listener.py").write_text(LISTENER)
    port = free_port()
    granian = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port), "listener:app"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(granian, cwd=place, **silent)  # type: ignore[call-overload]
    try:
        direct = f"http://127.0.0.1:{port}/"
        _wait(direct, server)
        with running() as host, _opened(host, port) as url:
            alone, through = (load.once(one, b"{}", {}, SECONDS, 1) for one in (direct, url))
            many = load.once(url, b"{}", {}, SECONDS, AT_ONCE)
    finally:
        server.terminate()
        server.wait(timeout=30)
    added = through.median - alone.median
    note = f"median of one call after the other: {through.median:.1f} ms, without a tunnel {alone.median:.1f} ms"
    yield Result("tunnel-adds", "a tunnel adds to a call", "ms", added, 5, True, note=note)
    note = f"{AT_ONCE} at a time, median {many.median:.0f} ms"
    yield Result("tunnel-rate", "calls through a tunnel", "/s", many.rate, 300, False, note=note)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            requests.get(url, timeout=2)
            return
        except requests.RequestException:
            time.sleep(0.05)
    raise Unmeasurable("the server behind the tunnel did not start")


class _opened:
    """`devkit tunnel` for a port, as long as the block lasts; gives the public address."""

    def __init__(self, host: Host, port: int) -> None:
        command = [sys.executable, "-m", "devkit", "tunnel", str(port), "--json", "--host", host.url]
        environ = os.environ | {"DEVKIT_TOKEN": host.token}
        self._process = subprocess.Popen(
            [*command, "--organization", host.organization], stdout=subprocess.PIPE, text=True, env=environ
        )

    def __enter__(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Unmeasurable("`devkit tunnel` ended before it was open")
        self._drain = subprocess.Popen(["cat"], stdin=self._process.stdout, stdout=subprocess.DEVNULL)
        return f"{json.loads(line)['url']}/"

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._drain.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()
