"""Runs a function of ours on untrusted files in a separate, limited process."""

from __future__ import annotations

import json
import os
import re
import signal
import site
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

import runtime
from runtime.engines import sandbox, seccomp
from runtime.engines.priority import set_niceness
from runtime.engines.process_start import on_any_processor
from runtime.engines.processes import descendants
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable, View
from runtime.engines.separate_process.answers import PROGRESS, Refused
from runtime.engines.separate_process.child import ANSWER, NICENESS

Reason = Literal["memory", "time", "crashed"]

MAX_ANSWER = 32 * 1024 * 1024
"""Longest JSON, in bytes, that a function can return; larger results are written to files in the folder."""
_FOLDER = "/sandbox/folder"
PATIENCE = 4
"""Seconds by the clock for each second of processor time, since it runs at low priority behind everything else."""
_LOOK_EVERY = 0.05
_PROGRESS = re.compile(rb"(\d{1,9}) (\d{1,9})")
_LONGEST_PROGRESS = 20
_SAID = 4000
_FLAGS = ("-I", "-S", "-B", "-c")
_PROGRAM = "import sys; sys.path[:] = {path!r}; from runtime.engines.separate_process.child import main; main()"
_ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/nonexistent", "TZ": "UTC"}


class SeparateProcessFailed(Exception):
    """A function did not finish: it took too much `memory`, too much `time`, or it `crashed`."""

    def __init__(self, reason: Reason, said: str = "") -> None:
        super().__init__(f"{reason}: {said}" if said else reason)
        self.reason = reason


class SeparateProcessRunner:
    """Starts separate processes; safe to use from many threads. The calling thread waits for the process."""

    def __init__(self, mode: SandboxMode) -> None:
        """Take whether a sandbox is required; without one, only the limits are enforced."""
        self._confined = mode == "required"

    def run(
        self,
        function: Callable[[Path, Any], Any],
        folder: Path,
        arguments: Any,
        *,
        memory: int,
        seconds: float,
        file_bytes: int = 1 << 30,
        mounts: Mapping[str, str] | None = None,
        check: Callable[[], None] = lambda: None,
        heard: Callable[[int, int], None] | None = None,
    ) -> Any:
        """Call a function at the top of a module with a folder and JSON, and return its JSON.

        It sees the interpreter, our packages, `mounts` (path inside: path outside) read-only, and the folder, where it
        may write files of `file_bytes`; it has no network, `memory` bytes, and `seconds` of processor time (`PATIENCE`
        times as many by the clock). `check` is called from time to time and stops it by raising; so does `heard`, which
        is called with the progress: how much is done, of how much.
        Raises `Refused` when the function did, `SeparateProcessFailed`, `SandboxUnavailable`.
        """
        _forget_answers(folder)
        user = sandbox.own_user() if self._confined and sandbox.started_by_root() else None
        if user is not None:
            _give(folder, user)
        request = {
            "module": function.__module__,
            "function": function.__qualname__,
            "arguments": arguments,
            "folder": _FOLDER if self._confined else str(folder),
            "confined": self._confined,
            "memory": memory,
            "seconds": seconds,
            "file_bytes": file_bytes,
        }
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as asked:
            asked.write(json.dumps(request).encode())
            asked.seek(0)
            process = self._start(folder, mounts or {}, user, asked, errors)
            in_time = _wait(process, seconds * PATIENCE, _looking(folder, check, heard))
            errors.seek(0, os.SEEK_END)
            errors.seek(max(0, errors.tell() - _SAID))
            said = errors.read().decode("utf-8", "replace").strip()
        if not in_time or process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
            raise SeparateProcessFailed("time")
        answer = _answer(folder)
        if answer is None:
            if "MemoryError" in said or "Cannot allocate memory" in said:
                raise SeparateProcessFailed("memory")
            if said.startswith("bwrap:"):
                raise SandboxUnavailable(sandbox.explain(said))
            raise SeparateProcessFailed(
                "crashed", said.rpartition("\n")[2][:500] or f"it exited with {process.returncode}"
            )
        if "result" in answer:
            return answer["result"]
        refused = answer.get("refused")
        if isinstance(refused, list) and len(refused) == 3 and all(isinstance(one, str) for one in refused):
            raise Refused(*refused)
        raise SeparateProcessFailed("memory" if answer.get("failed") == "memory" else "crashed")

    def _start(
        self, folder: Path, mounts: Mapping[str, str], user: int | None, asked: BinaryIO, errors: BinaryIO
    ) -> subprocess.Popen[bytes]:
        with on_any_processor():
            if not self._confined:
                path = [str(Path(runtime.__file__).parent.parent), *(entry for entry in sys.path if entry)]
                words = [sandbox.interpreter(), *_FLAGS, _PROGRAM.format(path=path)]
                return _popen(words, _ENVIRONMENT, asked, errors, ())
            view, path = _view(folder, mounts)
            words = [sandbox.interpreter(), *_FLAGS, _PROGRAM.format(path=path)]
            reading, writing = os.pipe()
            try:
                command = sandbox.bubblewrap_command(view, words, _ENVIRONMENT, filter_descriptor=reading, user=user)
                process = _popen(command, {}, asked, errors, (reading,))
            except BaseException:
                os.close(writing)
                raise
            finally:
                os.close(reading)
            try:
                os.write(writing, seccomp.build_filter(execute=True))
            except BrokenPipeError:  # it has ended; its output says why
                pass
            finally:
                os.close(writing)
            return process


def open_made(folder: Path, name: str) -> BinaryIO:
    """Open a file that a function created in its folder: a regular file, not a link. Raises `OSError`."""
    descriptor = os.open(folder / Path(name).name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{name} is not a regular file")
    return os.fdopen(descriptor, "rb")


def _view(folder: Path, mounts: Mapping[str, str]) -> tuple[View, list[str]]:
    view, path = sandbox.interpreter_view(())
    package = Path(runtime.__file__).parent
    view.mounts[f"{sandbox.APPLICATION}/runtime"] = str(package)
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    for number, place in enumerate(dict.fromkeys(place for place in installed if Path(place).is_dir())):
        shown = f"{sandbox.PACKAGES}/{number}"
        view.mounts[shown] = place
        path.append(shown)
    view.mounts.update({inside: outside for inside, outside in mounts.items() if Path(outside).exists()})
    return View(view.mounts, view.hidden, view.links, writable={_FOLDER: str(folder)}), path


def _popen(
    words: Sequence[str], environment: Mapping[str, str], asked: BinaryIO, errors: BinaryIO, handed: Sequence[int]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words, stdin=asked, stdout=errors, stderr=errors, env=environment, pass_fds=handed, start_new_session=True
    )


def _wait(process: subprocess.Popen[bytes], seconds: float, check: Callable[[], None]) -> bool:
    """Wait for the process to end, and kill it after some seconds; returns whether it ended by itself."""
    deadline = time.monotonic() + seconds
    lowered = False
    try:
        while True:
            check()
            # It raises its own niceness, which only counts within its session if the kernel groups by sessions.
            lowered = lowered or _lower(process.pid)
            try:
                process.wait(_LOOK_EVERY)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    return False
            else:
                return True
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _lower(pid: int) -> bool:
    """Return the sessions of a process and of those it started their niceness; False while it has started none."""
    started = descendants(pid)
    for one in started:
        set_niceness(one, NICENESS)
    return len(started) > 1


def _looking(folder: Path, check: Callable[[], None], heard: Callable[[int, int], None] | None) -> Callable[[], None]:
    """Return a check that also passes on the progress of the function whenever it changes."""
    if heard is None:
        return check
    last: list[tuple[int, int]] = []

    def look() -> None:
        check()
        said = _progress(folder)
        if said is not None and [said] != last:
            last[:] = [said]
            heard(*said)

    return look


def _progress(folder: Path) -> tuple[int, int] | None:
    """Read the progress of a function; None if it is not valid, since the function may write anything."""
    try:
        with open_made(folder, PROGRESS) as file:
            text = file.read(_LONGEST_PROGRESS)
    except OSError:
        return None
    found = _PROGRESS.fullmatch(text)
    return (int(found[1]), int(found[2])) if found is not None else None


def _forget_answers(folder: Path) -> None:
    """Remove an earlier function's answer; raises `SeparateProcessFailed` for what it put in its place."""
    for name in (ANSWER, PROGRESS):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:  # a folder
            raise SeparateProcessFailed("crashed", f"{name} is not a file") from error


def _answer(folder: Path) -> dict[str, Any] | None:
    try:
        with open_made(folder, ANSWER) as file:
            text = file.read(MAX_ANSWER + 1)
    except FileNotFoundError:
        return None
    except OSError as error:  # a link, a pipe, a folder: it was taken over by what it read
        raise SeparateProcessFailed("crashed", "its answer is not a file") from error
    if len(text) > MAX_ANSWER:
        raise SeparateProcessFailed("memory")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):  # it was killed while it was writing, or writes what none of ours does
        return None
    return answer if isinstance(answer, dict) else None


def _give(folder: Path, user: int) -> None:
    """Change the owner of a folder and its contents to the user of the process."""
    os.chown(folder, user, user)
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(root, name), user, user, follow_symlinks=False)
