"""The host under measurement: `devkit serve` in a process of its own, with an integration that is installed."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import requests

from benchmarks.scripts import COUNTER, SCOPES, render_body


class Unmeasurable(Exception):
    """Something a measurement needs is not there; the message says what and where to get it."""


def free_port() -> int:
    """Find a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Host:
    """A running host with one organization and its admin's token."""

    def __init__(self, data: Path, workers: int, options: Sequence[str] = ()) -> None:
        self.data, self.workers, self.options = data, workers, options
        self.organization, self.token = self.account("Bench", "bench@example.com")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.http = requests.Session()
        self.http.headers["Authorization"] = f"Bearer {self.token}"
        self.process: subprocess.Popen[bytes] | None = None

    def account(self, organization: str, email: str) -> tuple[str, str]:
        """Make an organization with an administrator; returns its id and their token."""
        made = self._devkit("init", "--organization", organization, "--email", email, "--json")
        account = json.loads(subprocess.run(made, check=True, capture_output=True, text=True).stdout)
        return account["organization"], account["token"]

    def _devkit(self, command: str, *options: str) -> list[str]:
        return [sys.executable, "-m", "devkit", command, "--data", str(self.data), *self.options, *options]

    def start(self, environ: Mapping[str, str] | None = None) -> None:
        """Start, with these settings, and wait until it is ready."""
        command = self._devkit("serve", "--port", str(self.port), "--workers", str(self.workers))
        log = (self.data / "host.log").open("ab")
        self.process = subprocess.Popen(
            command, env=os.environ | dict(environ or {}), stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        wait_for(self.url, self.process)

    def stop(self) -> None:
        """Stop in order; at once with all its processes when that takes too long, so that nothing is left behind."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API; raises requests.HTTPError."""
        answer = self.http.request(method, self.url + path, json=body, timeout=60)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def publish(self, name: str, script: str = COUNTER, runtime: str = "python") -> Any:
        """Publish a version."""
        return self.call("POST", f"/v1/integrations/{name}", self.publication(script=script, runtime=runtime))

    def publication(self, line: str = "", script: str = COUNTER, runtime: str = "python") -> dict[str, Any]:
        """Give the body that publishes a script, with one more line at its end."""
        return {
            "title": "Benchmark",
            "description": "",
            "scopes": SCOPES,
            "runtime": runtime,
            "script": f"{script}\n{line}\n" if line else script,
            "organization": self.organization,
            "blocks": [{"id": "counter", "title": "Counter"}],
        }

    def install(self, name: str) -> str:
        """Install an integration on a new space; returns the space."""
        space: str = self.call("POST", f"/v1/orgs/{self.organization}/spaces", {"title": "Bench"})["id"]
        base = f"/v1/integrations/{name}/installations"
        made = self.call("POST", base, {"organization": self.organization})
        self.call("POST", f"{base}/{made['id']}/spaces", {"space": space})
        return space

    def render(self, name: str, space: str, component: str = "counter") -> str:
        """Render a component; returns the text of the answer."""
        path = f"/v1/integrations/{name}/render"
        answer = self.http.post(self.url + path, json=render_body(space, component), timeout=60)
        answer.raise_for_status()
        return answer.text

    def has_unfinished(self) -> bool:
        """Tell whether events are not delivered yet, as SQLite says: asking the host keeps it from delivering."""
        place = f"{(self.data / 'host.sqlite').as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True, timeout=60)) as database:
            query = "SELECT 1 FROM events WHERE state IN ('pending', 'failed', 'claimed') LIMIT 1"
            return database.execute(query).fetchone() is not None


@contextmanager
def running(workers: int = 1) -> Iterator[Host]:
    """Run a host on fresh data."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        host = Host(Path(folder), workers)
        try:
            host.start()
            yield host
        finally:
            host.stop()


def wait_for(url: str, process: subprocess.Popen[Any], seconds: float = 60) -> None:
    """Wait until a host is ready; raises Unmeasurable when it ends instead."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Unmeasurable(f"the host ended with exit code {process.returncode}; run `devkit serve` to see why")
        try:
            if requests.get(f"{url}/readyz", timeout=5).status_code == 200:
                return
        except requests.RequestException:
            time.sleep(0.02)
    raise Unmeasurable(f"the host was not ready within {seconds:.0f} s")
