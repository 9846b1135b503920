"""Commands of `devkit` in processes of their own that have imported it already: a start is little else.

One process for each worker of the tests (`tests.template_process`) imports the command line and the host, and forks for
every command. What it forks behaves like `python -m devkit` (tests/contract/test_preloaded.py), apart from modules that
are imported already, and its parent. The host that a forked `devkit dev` starts is forked as well.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from devkit.local_host.process import start_host as _start_host

ROOT = Path(__file__).parents[1]
READ_AT_START = ("PYTHON", "LD_", "COVERAGE", "MALLOC_", "LANG", "LC_")
"""Beginnings of variables that the loader, the interpreter or a measurement reads before `devkit` is imported."""
ROOM = " " * 4096
"""Room for command lines: what is forked writes its own over it, where `ps` and the tests look."""
_known: list[str] = []
"""The address of the process that forks for this one; empty until it is known."""


class Process:
    """A running command, with what the tests need of `subprocess.Popen`."""

    def __init__(self, arguments: list[str], environ: dict[str, str], folder: Path, files: list[IO[bytes]]) -> None:
        """Start it; `files` are its input, its output and its errors."""
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self._arguments = arguments
        self._template = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._template.connect(_template())
        request = {"arguments": arguments, "environ": environ, "folder": str(folder), "umask": _umask()}
        socket.send_fds(self._template, [json.dumps(request).encode()], [file.fileno() for file in files])
        self.pid = int(self._template.recv(64))

    def poll(self) -> int | None:
        """Give the exit code; None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code, which is negative after a signal; raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            with selectors.DefaultSelector() as ready:
                ready.register(self._template, selectors.EVENT_READ)
                if not ready.select(timeout):
                    raise subprocess.TimeoutExpired(self._arguments, timeout or 0)
            self.returncode = int(self._template.recv(64))
            self._template.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def start(
    arguments: list[str], environ: dict[str, str], output: IO[bytes], errors: IO[bytes], folder: Path | None = None
) -> Process | subprocess.Popen[bytes]:
    """Start `devkit` in a session of its own, without input."""
    if can_be_preloaded(environ):
        with Path(os.devnull).open("rb") as nothing:
            return Process(arguments, environ, folder or Path.cwd(), [nothing, output, errors])
    command = [sys.executable, "-m", "devkit", *arguments]
    return subprocess.Popen(
        command,
        env=environ,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=True,
    )


def start_host(command: list[str], environ: dict[str, str], log: IO[bytes]) -> Process | subprocess.Popen[bytes]:
    """Start a host as `devkit.local_host.process.start_host` does, forked where possible; forks use it instead."""
    if not can_be_preloaded(environ):
        return _start_host(command, environ, log)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as its_input:
        process = Process(command[3:], environ, Path.cwd(), [its_input, log, log])
    process.stdin = os.fdopen(writing, "wb")
    return process


def run(arguments: list[str], environ: dict[str, str], folder: Path, timeout: float) -> tuple[int, str, str]:
    """Run `devkit` to its end, without input; gives its exit code, its output and its errors."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = start(arguments, environ, output, errors, folder)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        return code, _text(output), _text(errors)


def can_be_preloaded(environ: dict[str, str]) -> bool:
    """Tell whether nothing that counts before the first import differs from what the template was started with."""
    names = {name for name in environ.keys() | os.environ.keys() if name.startswith(READ_AT_START)}
    measured = any(name.startswith("COVERAGE") for name in names)
    return hasattr(os, "pidfd_open") and not measured and all(environ.get(n) == os.environ.get(n) for n in names)


def _umask() -> int:
    """Return what a process that is started here takes over."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def use_template(address: str) -> None:
    """Let the process that forked this one also fork what this one starts."""
    _known.append(address)


def _template() -> str:
    """Give the address of the process that forks for this one."""
    if not _known:
        _known.append(_start_template())
    return _known[0]


def _start_template() -> str:
    folder = tempfile.TemporaryDirectory(prefix="preloaded-")
    address = f"{folder.name}/template"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.template_process", address, ROOM],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == b"ready\n"

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    return address
