"""`devkit logs`: what was, what is, and what comes, also after the host went away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import IO, Any

import pytest

from tests.conftest import HostProcess, Installed, Tenant, init, installed, tenant, wait_for

SCRIPT = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.fetch("GET", "/say")
def say(request, context):
    context.log.info("hello %s", request.url)
    return Response("")


@integration.fetch("GET", "/warn")
def warn(request, context):
    context.log.debug("in passing")
    context.log.warning("careful")
    return Response("")


@integration.fetch("GET", "/break")
def fails(request):
    raise RuntimeError("broken on purpose")
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host whose events come from two processes."""
    data = tmp_path_factory.mktemp("logs")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--workers", "2").start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def owner(two: HostProcess) -> Tenant:
    return tenant(two, "Owner", "owner@example.com")


@pytest.fixture
def integration(owner: Tenant) -> Installed:
    return installed(owner, SCRIPT, blocks=[])


class Logs:
    """`devkit logs --follow` as a process."""

    def __init__(self, integration: Installed, home: Path, *options: str) -> None:
        command = [sys.executable, "-m", "devkit", "logs", integration.name, "--follow", *options]
        command += ["--host", integration.owner.api.url, "--token", integration.owner.api.token or ""]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"HOME": str(home)}
        )
        self.out: Queue[str] = Queue()
        self.err: Queue[str] = Queue()
        self.readers = [
            threading.Thread(target=self._read, args=(stream, lines), daemon=True)
            for stream, lines in ((self.process.stdout, self.out), (self.process.stderr, self.err))
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream: IO[str], lines: Queue[str]) -> None:
        with stream:
            for line in stream:
                lines.put(line.rstrip("\n"))

    def shows(self, text: str) -> str:
        while True:
            line = self.out.get(timeout=30)
            if text in line:
                return line

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


@pytest.fixture
def logs(integration: Installed, tmp_path: Path) -> Iterator[type[Logs]]:
    started: list[Logs] = []

    class Started(Logs):
        def __init__(self, *options: str) -> None:
            super().__init__(integration, tmp_path, *options)
            started.append(self)

    yield Started  # type: ignore[misc]
    for process in started:
        if process.process.poll() is None:
            process.process.kill()
        process.process.wait(timeout=20)
        for reader in process.readers:
            reader.join(timeout=20)


def recorded(integration: Installed, count: int) -> list[dict[str, Any]]:
    """Wait until calls are in the log: another process of the host may have taken them."""

    def found() -> Any:
        items = integration.owner.api.get(f"{integration.path}/events", type="fetch").json["items"]
        return items if len(items) == count else None

    items: list[dict[str, Any]] = wait_for(found)
    return items


def call(integration: Installed, path: str) -> None:
    integration.owner.api.get(f"{integration.path}/integration{path}")


def test_events_come_as_they_end_from_all_processes(integration: Installed, logs: type[Logs]) -> None:
    call(integration, "/say?n=past")
    following = logs()  # type: ignore[call-arg]
    following.shows("hello")
    for n in range(20):
        call(integration, f"/say?n={n}")
    processes = {following.shows("hello").rpartition("=")[2] for _ in range(20)}
    assert processes == {str(n) for n in range(20)}
    assert following.end() == 0


def test_it_waits_for_a_host_that_goes_and_misses_nothing(
    integration: Installed, logs: type[Logs], two: HostProcess
) -> None:
    following = logs("--limit", "0", "--json", "--type", "fetch")  # type: ignore[call-arg]

    def follows() -> bool:
        """Make a call; those that end before the command follows are none of its events."""
        call(integration, "/say?n=before")
        return not following.out.empty()

    wait_for(follows)
    two.kill()
    assert "disconnected; waiting for it" in following.err.get(timeout=30)
    two.start()
    for n in range(3):
        call(integration, f"/say?n=after{n}")
    assert "is back" in following.err.get(timeout=60)
    said: list[str] = []
    while len(said) < 3:
        message = json.loads(following.out.get(timeout=30))["trace"]["logs"][0]["message"]
        said += [message[-6:]] if "after" in message else []
    assert sorted(said) == ["after0", "after1", "after2"]
    assert following.end() == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--level", "warn"), "/warn /break"),
        (("--level", "error"), "/break"),
        (("--text", "HELLO"), "/say"),
        (("--text", "on purpose"), "/break"),
        (("--type", "fetch", "--status", "failed"), "/break"),
        (("--installation", "nowhere"), ""),
        (("--since", "1h", "--limit", "3", "--type", "fetch"), "/say /warn /break"),
        (("--limit", "0"), ""),
    ],
)
def test_filters(integration: Installed, tmp_path: Path, options: tuple[str, ...], expected: str) -> None:
    for path in ("/say", "/warn", "/break"):
        call(integration, path)
    recorded(integration, 3)
    command = [sys.executable, "-m", "devkit", "logs", integration.name, "--json", *options]
    command += ["--host", integration.owner.api.url, "--token", integration.owner.api.token or ""]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    body = [json.loads(line)["event"]["payload"] for line in done.stdout.splitlines()]
    # Calls that two processes took may have ended in any order.
    assert sorted(integration["request"]["url"].rpartition("/integration")[2] for integration in body) == sorted(
        expected.split()
    )


def test_lines_below_the_level_are_left_out_and_one_event_is_found(integration: Installed, tmp_path: Path) -> None:
    call(integration, "/warn")
    events = recorded(integration, 1)
    command = [sys.executable, "-m", "devkit", "logs", integration.name, "--trace", events[0]["id"], "--level", "warn"]
    command += ["--host", integration.owner.api.url, "--token", integration.owner.api.token or ""]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=60)
    assert "careful" in done.stdout
    assert "in passing" not in done.stdout
    assert "\x1b[" not in done.stdout, "plain when it is piped"


def test_a_token_that_is_taken_away_and_a_host_that_is_not_there(integration: Installed, tmp_path: Path) -> None:
    for host, token, sentence in (
        (integration.owner.api.url, "dk_wrong", "token is unknown"),
        ("http://127.0.0.1:9", "dk_x", "does not answer"),
    ):
        command = [
            sys.executable,
            "-m",
            "devkit",
            "logs",
            integration.name,
            "--follow",
            "--host",
            host,
            "--token",
            token,
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 2)
        spoke_to, error = done.stderr.splitlines()
        assert spoke_to == f"host: {host}" and error.startswith("error: ") and sentence in error
