"""`devkit dev --debug`: the script runs in a process of its own that a debugger attaches to, outside the sandbox."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO

from requests import RequestException

from devkit.build import source_maps
from devkit.build.javascript import ENDINGS
from devkit.developing.debug_ports import AdapterPort, CallPort, GuardedPort, InspectorPort
from devkit.files import private_files
from devkit.hosts import connections
from devkit.local_host.process import choose_port
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.engines.javascript import command as isolates

NO_LIMIT = 24 * 3600
"""Time limit, in seconds, of a call that is being debugged."""
_JAVASCRIPT = Path(__file__).with_name("javascript_debuggee.mjs")
_INSPECTOR = re.compile(rb"Debugger listening on ws://127\.0\.0\.1:(\d+)/(\S+)")
_INSPECTORS = (b"Visit chrome://inspect", b"Deno is waiting for debugger", b"Debugger session ")
"""How Deno's messages about its inspector begin, whose address editors do not know."""
_RESOLVER = (b"Resolver diagnostics:", b'- Import map: Invalid address "null"')
"""How Deno's remarks begin on the modules that scripts may not import, which are `null` in the map on purpose."""


class Debuggee(ABC):
    """The process that runs the script; it waits for a debugger before its first line."""

    usual_port: int
    """The port where editors expect a debugger of the language by default."""
    hint: str
    """How to attach one, for people."""

    def __init__(self, project: Project, port: int | None, errors: IO[bytes] | int) -> None:
        """Start it; `port` is where the debugger attaches. Raises Problem."""
        self._project = project
        self.port, self._inner = port or self.usual_port, 0
        with contextlib.ExitStack() as opened:
            # Short, and of this user alone: the script serves at a socket in it.
            folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="devkit-"))
            self._folder, listening = Path(folder), Path(folder, "calls")
            guarded = self._guarded_port()
            opened.callback(guarded.close)
            calls = CallPort(choose_port(project.folder / "debuggee", None, but=self._inner), listening)
            opened.callback(calls.close)
            self.address, self.url = f"127.0.0.1:{calls.port}", calls.url
            self._process = subprocess.Popen(
                self._command(listening), stdin=subprocess.PIPE, stderr=errors, start_new_session=True
            )
            self._opened = opened.pop_all()

    @abstractmethod
    def _guarded_port(self) -> GuardedPort:
        """Take the port that a debugger attaches to; raises Problem."""

    @abstractmethod
    def _command(self, listening: Path) -> list[str]:
        """Return the command that waits for a debugger, and then serves the script at the socket `listening`."""

    @abstractmethod
    def put(self, script: str) -> None:
        """Load the newly built script for further calls; raises Problem."""

    def wait(self, stopping: threading.Event) -> None:
        """Wait until a debugger has attached and the script is served; raises Problem when the process ends."""
        while not stopping.is_set():
            if self._process.poll() is not None:
                raise Problem(f"the debugged process ended; {self._why()}")
            try:
                connections.get(self.url, timeout=2)
                return
            except RequestException:
                stopping.wait(0.1)

    def _why(self) -> str:
        return "the lines above say why"

    def close(self) -> None:
        """Stop the process, also at a breakpoint."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._opened.close()


class PythonDebuggee(Debuggee):
    """A Python script under debugpy, which reads the author's files itself."""

    usual_port = 5678
    hint = "attach your editor's Python debugger (debugpy)"

    def __init__(self, project: Project, port: int | None, log: Path) -> None:
        """Start it; what the debugger has to say goes to `log`. Raises Problem."""
        self._file, self._logged_before = log, log.stat().st_size if log.exists() else 0
        self._log = os.fdopen(private_files.opened(log, os.O_APPEND), "ab")
        super().__init__(project, port, self._log)

    def _guarded_port(self) -> GuardedPort:
        self._inner = choose_port(self._project.folder / "adapter", None)
        return AdapterPort(self.port, self._inner)

    def _command(self, listening: Path) -> list[str]:
        return [
            sys.executable, "-X", "frozen_modules=off", "-m", "devkit.developing.guarded_debugpy",
            "--listen", f"127.0.0.1:{self._inner}", "--wait-for-client", "-m", "devkit.developing.python_debuggee",
            str(self._project.folder), str(self._project.script), str(listening),
        ]  # fmt: skip

    def put(self, script: str) -> None:
        """Do nothing: the process looks at the files with each call."""

    def _why(self) -> str:
        said = self._file.read_bytes()[self._logged_before :].decode(errors="replace")
        last = next((line.strip() for line in reversed(said.split("\n")) if line.strip()), "")
        return f"{last} (in {self._file})" if last else f"see {self._file}"

    def close(self) -> None:
        """End the process and its log."""
        super().close()
        self._log.close()


class JavaScriptDebuggee(Debuggee):
    """A bundle in Deno under the inspector of V8, with what scripts find in their sandbox."""

    usual_port = 9229
    hint = "attach your editor's Node debugger, or open chrome://inspect"

    def __init__(self, project: Project, port: int | None) -> None:
        """Start it. Raises Problem."""
        self._versions = 0
        super().__init__(project, port, subprocess.PIPE)
        threading.Thread(target=self._listen, name="debuggee", daemon=True).start()

    def _guarded_port(self) -> InspectorPort:
        self._inspector = InspectorPort(self.port)
        return self._inspector

    def _command(self, listening: Path) -> list[str]:
        deno, inside = isolates.find_deno(), isolates.INSIDE
        if deno is None:
            raise Problem("Deno, which runs JavaScript, was not found: install the package deno with pip")
        return [
            deno, "run", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm",
            "--no-code-cache", "--node-modules-dir=none", f"--import-map={inside}/imports.json",
            f"--allow-read={inside},{self._folder}", f"--allow-write={listening}", "--allow-net",
            # Whoever does not know its name cannot attach, and it is told to nobody else.
            "--inspect-wait=127.0.0.1:0", "--inspect-publish-uid=stderr",
            str(_JAVASCRIPT), str(inside), str(listening),
        ]  # fmt: skip

    def _listen(self) -> None:
        """Read where the inspector is, and pass everything else on to the terminal."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            found = _INSPECTOR.match(line)
            if found is not None:
                self._inspector.open(int(found[1]), found[2].decode())
            elif not line.startswith(_INSPECTORS) and not line.strip().startswith(_RESOLVER):
                sys.stderr.buffer.write(line)
                sys.stderr.buffer.flush()

    def put(self, script: str) -> None:
        """Load a bundle under a name of its own, beside those before: a debugger that is attached stays so."""
        self._versions += 1
        file = Path(self._folder, f"script-{self._versions}.js")
        pipe = self._process.stdin
        assert pipe is not None
        try:
            file.write_text(source_maps.rooted(script, self._project.folder), encoding="utf-8")
            pipe.write(f"{file}\n".encode())
            pipe.flush()
        except OSError as error:
            raise Problem(f"the debugged process cannot be given the script: {error.strerror}") from error

    def close(self) -> None:
        """End the process, and forget its bundles."""
        super().close()
        if self._process.stderr is not None:
            self._process.stderr.close()


def start(project: Project, port: int | None, log: Path) -> Debuggee:
    """Start the process for a project's language; `port` is None for the usual one. Raises Problem."""
    if project.script.suffix in ENDINGS:
        return JavaScriptDebuggee(project, port)
    return PythonDebuggee(project, port, log)
