"""Runs other programs on a project: bundlers and compilers, some of which the project itself brings."""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from devkit.files import project_files
from devkit.terminal.output import Problem
from runtime.engines import sandbox, seccomp
from runtime.engines.process_limits import MSGQUEUE
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable, View

GOES_WITHOUT = "--sandbox off runs the project's own compiler as your user, with access to your files and your network"
_MEGABYTE = 1024 * 1024
_SAID = 64 * _MEGABYTE
_LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_CPU: 600,
    resource.RLIMIT_DATA: 4096 * _MEGABYTE,
    resource.RLIMIT_FSIZE: _SAID,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_NOFILE: 4096,
    resource.RLIMIT_NPROC: 4096,
    MSGQUEUE: 0,
}
_TMP_BYTES = 256 * _MEGABYTE
DENO = ("run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--node-modules-dir=manual")
"""How Deno runs a program of a project's packages, before the rights it has."""
_FOR_ALL = {"NO_COLOR": "1"}
_ENVIRONMENT = {"HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
_STARTERS = ("sh", "env", "node", "basename", "dirname", "sed", "uname")
_NODE_PARTS = "/usr/share/nodejs"  # where Debian keeps parts of Node
_NOT_STARTED = "prlimit: failed to execute "


def run(
    command: Sequence[str],
    folder: Path,
    patience: float,
    confined: SandboxMode,
    *,
    environment: Mapping[str, str] | None = None,
    mounts: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program in a project's folder, which the names of files it tells are relative to, without an input.

    In a sandbox it sees the project with its packages and `mounts` (path inside: path outside), all read-only, a /tmp
    of its own, and neither home, environment nor network. Raises OSError where it cannot be started, TimeoutExpired
    after `patience` seconds, and Problem if there is no sandbox that works.
    """
    with _ready(command, folder, confined, environment, mounts, links) as ready:
        done = _finished(ready, patience)
    if confined == "off":
        return done
    if done.returncode and done.stderr.startswith("bwrap: "):
        raise Problem(f"{sandbox.explain(done.stderr)} ({GOES_WITHOUT})")
    if done.stderr.startswith(_NOT_STARTED):
        raise OSError(done.stderr.removeprefix(_NOT_STARTED).strip())
    return done


def start(
    command: Sequence[str],
    folder: Path,
    confined: SandboxMode,
    *,
    environment: Mapping[str, str] | None = None,
    mounts: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that stays, as `run` does, and is spoken with through pipes; raises OSError and Problem.

    It ends with the thread that started it (bubblewrap asks the kernel for that), and has to end when its input does.
    """
    with _ready(command, folder, confined, environment, mounts, links) as ready:
        return subprocess.Popen(
            ready.words,
            cwd=ready.folder,
            env=ready.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=ready.handed,
        )


@contextlib.contextmanager
def ended_after(seconds: float, end: Callable[[], None]) -> Iterator[threading.Event]:
    """Have `end` called when the block takes longer, from another thread; gives what tells that it was."""
    late = threading.Event()

    def give_up() -> None:
        late.set()
        end()

    timer = threading.Timer(seconds, give_up)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


class _Ready(NamedTuple):
    """All that a process is started with."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    handed: tuple[int, ...] = ()


@contextlib.contextmanager
def _ready(
    command: Sequence[str],
    folder: Path,
    confined: SandboxMode,
    environment: Mapping[str, str] | None,
    mounts: Mapping[str, str] | None,
    links: Mapping[str, str] | None,
) -> Iterator[_Ready]:
    """Give what a program is started with while the filter of its sandbox can be read; raises OSError and Problem."""
    if confined == "off":
        yield _Ready(command, folder, {**os.environ, **_FOR_ALL, **(environment or {})})
        return
    reading, writing = os.pipe()
    try:
        try:
            os.write(writing, _filter())  # less than a pipe holds
        finally:
            os.close(writing)
        try:
            words = sandbox.bubblewrap_command(
                _view(command, folder, mounts or {}, links or {}),
                command,
                {**_ENVIRONMENT, **_FOR_ALL, **(environment or {})},
                filter_descriptor=reading,
                limits=_LIMITS,
                folder=str(folder.resolve()),
                tmp_bytes=_TMP_BYTES,
            )
        except (SandboxUnavailable, LookupError) as error:
            raise Problem(f"{error} ({GOES_WITHOUT})") from error
        yield _Ready(words, Path("/"), {}, (reading,))
    finally:
        os.close(reading)


@functools.cache
def _filter() -> bytes:
    return seccomp.build_filter(execute=True, children=True)


def _view(command: Sequence[str], folder: Path, mounts: Mapping[str, str], links: Mapping[str, str]) -> View:
    seen = {str(place): str(place) for place in project_files.places(folder)} | dict(mounts)
    links = dict(links)
    with open(command[0], "rb") as file:  # noqa: PTH123  (raises what tells that there is no such program)
        is_script = file.read(2) == b"#!"
    if is_script:
        seen |= _interpreters()
        links["/bin"] = "/usr/bin"
    return View(mounts=seen, links=links | sandbox.add_shared_libraries(seen))


def _interpreters() -> dict[str, str]:
    """Return what a program written for Node is started with, and the script that package managers put before it."""
    found = {f"/usr/bin/{name}": shutil.which(name) for name in _STARTERS}
    beside = {_NODE_PARTS: _NODE_PARTS} if os.path.isdir(_NODE_PARTS) else {}  # noqa: PTH112
    return {inside: os.path.realpath(outside) for inside, outside in found.items() if outside is not None} | beside


def _finished(ready: _Ready, patience: float) -> subprocess.CompletedProcess[str]:
    """Wait for a program; what it says goes through files, whose size is limited, and not into memory."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as wrong:
        process = subprocess.Popen(
            ready.words,
            cwd=ready.folder,
            env=ready.environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=wrong,
            pass_fds=ready.handed,
        )
        try:
            # A wait with a limit would look now and then, up to 50 ms after the end, which people wait for.
            with ended_after(patience, process.kill) as late:
                process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if late.is_set():
            raise subprocess.TimeoutExpired(ready.words, patience)
        texts = []
        for file in (said, wrong):
            file.seek(0)
            texts.append(file.read(_SAID).decode("utf-8", "replace"))
    return subprocess.CompletedProcess(ready.words, process.returncode, *texts)
