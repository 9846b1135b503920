"""`devkit dev --debug`: the script runs in a process of its own that a debugger attaches to, outside the sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import requests

from devkit.local_host import private_files
from devkit.local_host.process import choose_port
from devkit.projects.project import Project
from devkit.terminal.output import Problem

PORT = 5678
"""Where editors look for debugpy unless configured otherwise."""
NO_LIMIT = 24 * 3600
"""Seconds a call may take while somebody steps through it."""


class Debuggee:
    """The process that runs the script; it waits for a debugger before its first line."""

    def __init__(self, project: Project, port: int, log: Path) -> None:
        """Start it; `port` is where the debugger attaches. Raises Problem for a script that is not Python."""
        if project.script.suffix != ".py":
            raise Problem("--debug is for Python; JavaScript has console.log and the error's place in the terminal")
        self.port = choose_port(project.folder, port)
        listening = choose_port(project.folder / "debuggee", None)
        self.address = f"127.0.0.1:{listening}"
        self.url = f"http://{self.address}"
        command = [
            sys.executable, "-X", "frozen_modules=off", "-m", "debugpy",
            "--listen", f"127.0.0.1:{self.port}", "--wait-for-client",
            "-m", "devkit.developing.debuggee", str(project.folder), str(project.script), str(listening),
        ]  # fmt: skip
        self._log = os.fdopen(private_files.opened(log, os.O_APPEND), "ab")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=None, stderr=self._log, start_new_session=True
        )

    def wait(self, stopping: threading.Event) -> None:
        """Wait until a debugger has attached and the script is served; raises Problem when the process ends."""
        while not stopping.is_set():
            if self._process.poll() is not None:
                raise Problem(f"the debugged process ended; see {self._log.name}")
            try:
                requests.get(self.url, timeout=2)
                return
            except requests.RequestException:
                stopping.wait(0.1)

    def close(self) -> None:
        """End the process, also one that stands at a breakpoint."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._log.close()
