"""Starts a host for one author on this machine and waits until it answers."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import IO

from requests import RequestException

from devkit.files import private_files
from devkit.hosts import connections, running
from devkit.hosts.credentials import Credentials
from devkit.local_host.parent_watch import END_WITH_STARTER
from devkit.terminal.output import Problem
from runtime.contract.origins import authority_of
from runtime.engines.dev_tunnel import tunnel_registry
from runtime.engines.sandbox import SandboxMode

FIRST_PORT, PORTS = 4100, 800
PATIENCE = 60.0
STOP_PATIENCE = 30.0
"""Seconds until a host is killed that does not stop: one that is still starting stops when it is done with that, and a
host that is killed leaves its temporary folders behind."""

KEEP_EVERY = 10.0
"""Seconds between two looks whether the folder in which tunnels meet is there."""


class LocalHost:
    """A host process with its data beside the project; the author's token stays the same from start to start."""

    def __init__(self, data: Path, port: int, sandbox: SandboxMode = "required", **settings: str) -> None:
        """Start the host; `settings` are settings of it, as environment variables without their prefix."""
        self._data, self.port, self.sandbox = data, port, sandbox
        self._settings = {f"DEVKIT_{name.upper()}": value for name, value in settings.items()}
        self.url = f"http://127.0.0.1:{port}"
        private_files.folder(data)
        running.ignore(data)
        self.credentials = Credentials(self.url, _token(data))
        self._log = os.fdopen(private_files.opened(self.log, os.O_APPEND), "ab")
        # Made here and not by the host, so that it goes also when the host had to be killed.
        self._folders = tunnel_registry.folders()
        self._relay = self._folders.new()
        self._process = self._start()
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep_relay, name="relay folder", daemon=True)
        self._keeper.start()

    def _keep_relay(self) -> None:
        """Make the folder of tunnels again where the system has tidied it away; the host only borrows it."""
        lost = False
        while not self._over.wait(KEEP_EVERY):
            try:
                self._folders.again(self._relay)
                lost = False
            except OSError as error:
                if not lost:
                    self._log.write(f"error: the folder that connects tunnels is gone: {error}\n".encode())
                    self._log.flush()
                lost = True

    def _start(self) -> subprocess.Popen[bytes]:
        environ = os.environ | {
            "DEVKIT_PREVIEW": "1",
            "DEVKIT_AUTHOR_TOKEN": self.credentials.token,
            # What is set for a host that serves others is not about this one, whose pages are looked at here.
            "DEVKIT_PUBLIC_URL": self.url,
            "DEVKIT_CONTENT_URL": content_url(os.environ.get("DEVKIT_CONTENT_URL", ""), self.port),
            END_WITH_STARTER: "1",
            tunnel_registry.FOLDER: str(self._relay),
            **self._settings,
        }
        command = [sys.executable, "-m", "devkit", "serve", "--data", str(self._data), "--port", str(self.port)]
        command += ["--sandbox", self.sandbox]
        return start_host(command, environ, self._log)

    @property
    def log(self) -> Path:
        """The file that holds all the host says."""
        return self._data / "host.log"

    def wait(self, stopping: threading.Event) -> None:
        """Wait until the host is ready, or nobody wants it any more.

        Raises Problem with the last line of its log when it ends instead.
        """
        deadline = time.monotonic() + PATIENCE
        while not stopping.is_set():
            if time.monotonic() > deadline:
                raise Problem(f"the host was not ready within {PATIENCE:.0f} s: {self._last_words()}")
            code = self._process.poll()
            if code is not None:
                raise Problem(f"the host did not start: {self._last_words()}")
            try:
                if connections.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except RequestException:
                pass  # it does not listen yet
            stopping.wait(0.01)

    def ended(self) -> bool:
        """Return whether the host process is gone."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Stop the host in order, or at once when it takes too long."""
        self._over.set()
        self._keeper.join()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=STOP_PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._folders.close()
        self._log.close()

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        lines = [line for line in lines if not line.startswith("error: the host could not start")] or lines
        return lines[-1].removeprefix("error: ") if lines else f"exit code {self._process.returncode}"


def start_host(command: list[str], environ: dict[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process of a host, which writes into `log`.

    In a session of its own: Ctrl-C reaches the author's command first, which then stops the host in order. Nothing is
    ever written into its input; its end tells the host that the author's command is gone.
    """
    return subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)


def content_url(configured: str, port: int) -> str:
    """Return the origin for what scripts answer: their own below `localhost`, or what is wanted on this machine.

    A browser that knows no names below `localhost` needs `http://localhost:PORT`, which all of them share.
    """
    try:
        here = authority_of(configured.replace("*.", "", 1)).is_loopback
    except (ValueError, KeyError):
        here = False
    return configured if here else f"http://*.localhost:{port}"


def choose_port(folder: Path, requested: int | None, *, but: int = 0) -> int:
    """Choose a port: the wanted one, else always the same for a folder, or the next free one; never `but`.

    Raises Problem.
    """
    if requested is not None:
        if not _free(requested):
            raise Problem(f"port {requested} is taken", hint="choose another with --port")
        return requested
    first = zlib.crc32(str(folder).encode()) % PORTS
    for step in range(PORTS):
        port = FIRST_PORT + (first + step) % PORTS
        if port != but and _free(port):
            return port
    raise Problem(f"all ports from {FIRST_PORT} to {FIRST_PORT + PORTS - 1} are taken", hint="choose one with --port")


def _free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _token(data: Path) -> str:
    file = data / running.TOKEN
    if not file.exists():
        private_files.write(file, "dk_" + secrets.token_urlsafe(32), os.O_EXCL)
    return file.read_text().strip()
