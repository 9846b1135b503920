"""How an isolate is started: Deno with no permission it does not need, inside bubblewrap."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import certifi

from runtime.engines import sandbox, seccomp
from runtime.engines.javascript.folders import Folders
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable, View
from runtime.engines.starting import on_any_processor

_INSIDE = Path(__file__).parent / "inside"
_SHOWN_DENO, _SHOWN_INSIDE, _SHOWN_HOST, _SHOWN_SCRIPT = "/deno", "/inside", "/host", "/script"
_YOUNG_MEGABYTES = 8  # of each half of the young generation
_ENVIRONMENT = {"DENO_DIR": "/tmp/deno", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8"}


def find_deno() -> str | None:
    """Return the path of Deno: the packaged one, else the system's."""
    if importlib.util.find_spec("deno"):
        from deno import find_deno_bin

        try:
            return os.path.realpath(str(find_deno_bin()))
        except FileNotFoundError:
            pass
    return shutil.which("deno")


class LaunchPad:
    """Starts isolates, all from one thread: a process that shall die with its parent dies with that thread."""

    def __init__(self, mode: SandboxMode, ca_file: str | None) -> None:
        """Take the certificates scripts shall trust, None for the usual ones; raises `SandboxUnavailable`."""
        deno = find_deno()
        if deno is None:
            raise SandboxUnavailable("Deno was not found, which runs JavaScript: install the package deno with pip.")
        if mode == "required" and sandbox.find_bubblewrap() is None:
            raise SandboxUnavailable(sandbox.NO_BUBBLEWRAP)
        self._deno = deno
        self.confined = mode == "required"
        self._certificates = Path(ca_file or certifi.where()).read_text(encoding="utf-8") if ca_file else ""
        self.folders = Folders()
        self._thread = ThreadPoolExecutor(1, "isolate-start")

    def start(self, sockets: Path, scripts: Path, said: Path, memory: int) -> subprocess.Popen[bytes]:
        """Start an isolate that sees these two folders and writes what goes wrong to `said`; `memory` in bytes.

        Raises `SandboxUnavailable`.
        """
        try:
            return self._thread.submit(self._start, sockets, scripts, said, memory).result()
        except (OSError, LookupError, RuntimeError) as error:
            raise SandboxUnavailable(sandbox.explain(str(error))) from error

    def close(self) -> None:
        """Start no more; every isolate has to be closed before."""
        self._thread.shutdown()
        self.folders.close()

    def _start(self, sockets: Path, scripts: Path, said: Path, memory: int) -> subprocess.Popen[bytes]:
        confined = self.confined
        with said.open("wb") as errors, _filter(confined) as descriptor, on_any_processor():
            if confined:
                view = self._view(sockets, scripts)
                program = self._program(_SHOWN_DENO, _SHOWN_INSIDE, _SHOWN_HOST, _SHOWN_SCRIPT, memory)
                command = sandbox.bubblewrap_command(view, program, _ENVIRONMENT, filter_descriptor=descriptor)
                environment = {}
            else:
                command = self._program(self._deno, str(_INSIDE), str(sockets), str(scripts), memory)
                environment = _ENVIRONMENT | {"DENO_DIR": str(said.parent / "deno")}
            return subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[descriptor] if confined else [],
                start_new_session=True,
            )

    def _view(self, sockets: Path, scripts: Path) -> View:
        mounts = {_SHOWN_DENO: self._deno, _SHOWN_INSIDE: str(_INSIDE)}
        mounts |= {_SHOWN_HOST: str(sockets), _SHOWN_SCRIPT: str(scripts)}
        return View(mounts=mounts, links=sandbox.add_shared_libraries(mounts))

    def _program(self, deno: str, inside: str, sockets: str, scripts: str, memory: int) -> list[str]:
        heap = memory // 1024 // 1024
        flags = [
            "--disallow-code-generation-from-strings",
            f"--max-old-space-size={heap}",
            f"--max-semi-space-size={_YOUNG_MEGABYTES}",
        ]
        words = [deno, "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"]
        words += ["--no-code-cache", "--node-modules-dir=none", f"--import-map={inside}/imports.json"]
        # Network in name only: the sandbox has none, but fetch asks for it before it turns to the proxy.
        words += [f"--allow-read={inside},{sockets},{scripts}", f"--allow-write={sockets}", "--allow-net"]
        words += [f"--v8-flags={','.join(flags)}", f"{inside}/isolate.mjs", sockets, scripts]
        return [*words, self._certificates] if self._certificates else words


@contextmanager
def _filter(confined: bool) -> Iterator[int]:
    """Give a descriptor from which bubblewrap reads the system call filter."""
    if not confined:
        yield -1
        return
    reading, writing = os.pipe()
    try:
        os.write(writing, seccomp.build_filter())
        os.close(writing)
        yield reading
    finally:
        os.close(reading)
