"""How an isolate is started: Deno with no permission it does not need, inside bubblewrap."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from runtime.engines import process_limits, sandbox, seccomp
from runtime.engines.own_folders import Folders
from runtime.engines.process_start import on_any_processor
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable, View

INSIDE = Path(__file__).parent / "inside"
"""What is loaded into an isolate before the script."""
_SHOWN_DENO, _SHOWN_INSIDE, _SHOWN_HOST, _SHOWN_SCRIPT = "/deno", "/inside", "/host", "/script"
_YOUNG_MEGABYTES = 8  # of each half of the young generation
HEADROOM = 64 * 1024 * 1024  # what garbage, buffers and compiled code may take beside the heap
BETWEEN_LOOKS = 64 * 1024 * 1024  # what a script may take beyond that until the next look, which ends the call
THREADS = 128
RESERVED = 576 * 1024 * 1024  # addresses that V8 takes at its start and mostly never uses, which count as data
STDERR_BYTES = 64 * 1024
_LONGEST_PLACE = 50  # characters; a Unix socket further down has 53 more
_LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_FSIZE: STDERR_BYTES,
    resource.RLIMIT_NOFILE: 1024,
    resource.RLIMIT_MEMLOCK: 0,
    process_limits.MSGQUEUE: 0,
    process_limits.SIGPENDING: 128,
}
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


class IsolateLauncher:
    """Starts isolates, all from one thread: a process that shall die with its parent dies with that thread."""

    def __init__(self, mode: SandboxMode, certificates: str) -> None:
        """Take the certificates scripts shall trust beside the usual ones, as PEM; raises `SandboxUnavailable`."""
        deno = find_deno()
        if deno is None:
            raise SandboxUnavailable("Deno, which runs JavaScript, was not found: install the package deno with pip.")
        if mode == "required":
            sandbox.needed_bubblewrap()
        self._deno = deno
        self.confined = mode == "required"
        self._certificates = certificates
        self.folders = Folders("integration-js-", _LONGEST_PLACE)
        self._thread = ThreadPoolExecutor(1, "isolate-start")

    def start(self, sockets: Path, scripts: Path, output: Path, memory: int) -> subprocess.Popen[bytes]:
        """Start an isolate that sees these two folders and writes what goes wrong to `said`; `memory` in bytes.

        Raises `SandboxUnavailable`.
        """
        try:
            return self._thread.submit(self._start, sockets, scripts, output, memory).result()
        except (OSError, LookupError, RuntimeError) as error:
            raise SandboxUnavailable(sandbox.explain(str(error))) from error

    def close(self) -> None:
        """Stop starting isolates; all of them must have been closed before."""
        self._thread.shutdown()
        self.folders.close()

    def _start(self, sockets: Path, scripts: Path, output: Path, memory: int) -> subprocess.Popen[bytes]:
        with output.open("wb") as errors, on_any_processor():
            if not self.confined:
                environment = _ENVIRONMENT | {"DENO_DIR": str(output.parent / "deno")}
                return _popen(
                    self._program(self._deno, str(INSIDE), str(sockets), str(scripts), memory), environment, errors
                )
            view = self._view(sockets, scripts)
            program = self._program(_SHOWN_DENO, _SHOWN_INSIDE, _SHOWN_HOST, _SHOWN_SCRIPT, memory)
            user = sandbox.own_user() if sandbox.started_by_root() else None
            reading, writing = os.pipe()
            try:
                command = sandbox.bubblewrap_command(
                    view,
                    program,
                    _ENVIRONMENT,
                    filter_descriptor=reading,
                    user=user,
                    limits=limits_of(memory, own_user=user is not None),
                )
                process = _popen(command, {}, errors, reading)
            except BaseException:
                os.close(writing)
                raise
            finally:
                os.close(reading)
            try:
                os.write(writing, seccomp.build_filter(execute=True))
            except BrokenPipeError:  # it has ended; whoever waits for it reads why
                pass
            except BaseException:
                process.kill()
                process.wait()
                raise
            finally:
                os.close(writing)
            return process

    def _view(self, sockets: Path, scripts: Path) -> View:
        mounts = {_SHOWN_DENO: self._deno, _SHOWN_INSIDE: str(INSIDE)}
        mounts |= {_SHOWN_HOST: str(sockets), _SHOWN_SCRIPT: str(scripts)}
        # All that Deno needs of /proc; the real one would be writable for a host's root.
        links = {"/proc/self/exe": _SHOWN_DENO}
        return View(mounts=mounts, links=links | sandbox.add_shared_libraries(mounts))

    def _program(self, deno: str, inside: str, sockets: str, scripts: str, memory: int) -> list[str]:
        heap = memory // 1024 // 1024
        flags = [
            "--disallow-code-generation-from-strings",
            f"--max-old-space-size={heap}",
            f"--max-semi-space-size={_YOUNG_MEGABYTES}",
            # WebAssembly in every way it could come in, imports of `data:` and `blob:` addresses among them.
            "--max-wasm-functions=0",
            "--wasm-max-mem-pages=0",
        ]
        words = [deno, "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"]
        words += ["--no-code-cache", "--node-modules-dir=none", f"--import-map={inside}/imports.json"]
        # Network in name only: the sandbox has none, but fetch asks for it before it turns to the proxy.
        words += [f"--allow-read={inside},{sockets},{scripts}", f"--allow-write={sockets}", "--allow-net"]
        words += [f"--v8-flags={','.join(flags)}", f"{inside}/isolate.mjs", sockets, scripts]
        return [*words, self._certificates] if self._certificates else words


def _popen(
    command: list[str], environment: Mapping[str, str], errors: BinaryIO, passed: int | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=() if passed is None else (passed,),
        start_new_session=True,
    )


def limits_of(memory: int, *, own_user: bool) -> dict[int, int]:
    """Return the kernel limits of an isolate; `memory` in bytes, for the script's heap.

    With `own_user` it will be the only process of its user, so that threads can be counted as well.
    """
    limits = _LIMITS | {resource.RLIMIT_DATA: RESERVED + memory + HEADROOM + BETWEEN_LOOKS}
    return limits | {resource.RLIMIT_NPROC: THREADS} if own_user else limits
