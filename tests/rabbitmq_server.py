"""A RabbitMQ server of a test's own, which may be stopped and started while hosts use it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import free_port

PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Not the one in /usr/sbin, which changes to another user."""
MISSING = f"there is no {PROGRAM}: install rabbitmq-server"
PATIENCE = 90


class RabbitServer:
    """A server with files of its own, on a port of this machine; `remove` takes both away."""

    def __init__(self) -> None:
        """Make its files."""
        if not PROGRAM.exists():
            pytest.skip(MISSING)
        self._folder = Path(tempfile.mkdtemp(prefix="devkit-"))
        self.port, self._names = free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}/%2F"
        plugins, settings = self._folder / "plugins", self._folder / "rabbitmq.conf"
        plugins.write_text("[].\n")
        settings.write_text(f"listeners.tcp.1 = 127.0.0.1:{self.port}\nlog.file = false\n")
        self._environ = os.environ | {
            "HOME": str(self._folder),  # for the secret that its programs share
            "ERL_EPMD_PORT": str(self._names),
            "RABBITMQ_NODENAME": f"devkit-{self.port}@localhost",
            "RABBITMQ_CONFIG_FILE": str(settings),
            "RABBITMQ_CONF_ENV_FILE": str(self._folder / "none"),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "data"),
            "RABBITMQ_LOG_BASE": str(self._folder / "logs"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
            "RABBITMQ_PID_FILE": str(self._folder / "pid"),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._folder / "output.log").open("ab") as out:
            self._process = subprocess.Popen(
                [str(PROGRAM)], env=self._environ, cwd=self._folder, stdout=out, stderr=out, start_new_session=True
            )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self._process.poll() is None, self.log
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("RabbitMQ did not start: " + self.log)

    def kill(self) -> None:
        """Stop it at once, as when its machine fails: clients lose their connections."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=30)
            self._process = None

    def remove(self) -> None:
        """Stop it if it runs, and remove its files."""
        self.kill()
        subprocess.run(["epmd", "-port", str(self._names), "-kill"], capture_output=True, timeout=30, check=False)
        shutil.rmtree(self._folder)

    @property
    def log(self) -> str:
        """What it wrote to its terminal."""
        return (self._folder / "output.log").read_text()


@pytest.fixture(name="server", scope="module")
def rabbit_server() -> Iterator[RabbitServer]:
    """Give a server to the tests of a file."""
    server = RabbitServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()
