"""An esbuild process that is kept between the bundles of a project."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devkit.build import programs
from devkit.files import project_files
from devkit.terminal.output import Problem
from runtime.engines.javascript.command import find_deno
from runtime.engines.sandbox import SandboxMode

_SCRIPT = Path(__file__).with_suffix(".mjs")
# What esbuild's own module needs to start its program. What really bounds it is the sandbox.
_RIGHTS = ("--allow-read", "--allow-env", "--allow-sys", "--allow-run")
_LONGEST = 64 * 1024 * 1024  # bytes of an answer


@dataclass(frozen=True, slots=True)
class Esbuild:
    """The esbuild of a project: the `command` that runs it, and its `module` for programs, where there is one."""

    command: list[str]
    module: Path | None = None


@dataclass(frozen=True, slots=True)
class Bundled:
    """What came out: `code` and the files it was made of, or else `errors` as esbuild writes them."""

    code: str | None
    inputs: tuple[str, ...]
    errors: str


class EsbuildService:
    """Bundles one project; a process is kept after the first bundle, until `close`."""

    def __init__(self) -> None:
        self._service: _Service | None = None
        self._closed = False

    def bundle(
        self, found: Esbuild, folder: Path, options: Mapping[str, Any], patience: float, confined: SandboxMode
    ) -> Bundled | None:
        """Bundle with what stayed; None where it is not there yet, or not any more: then a new one begins beside.

        Raises TimeoutExpired after `patience` seconds, and OSError where the project's folder cannot be read.
        """
        if found.module is None or self._closed:
            return None
        known = _Known.of(found.module, found.command, folder, confined)
        service = self._service
        if service is not None and service.known != known:
            service.end()
            service = None
        if service is None or service.ended.is_set():
            if service is None or service.answered.is_set():  # what never worked is not tried again
                self._service = _Service(known, folder, options, patience)
            return None
        return service.ask(options, patience) if service.answered.is_set() else None

    def close(self) -> None:
        """End it; bundling goes on without."""
        self._closed = True
        if self._service is not None:
            self._service.end()


@dataclass(frozen=True, slots=True)
class _Known:
    """What a process was started with; where anything of it has changed since, it sees what is not there any more."""

    module: Path
    program: str
    version: tuple[int, int]
    places: tuple[tuple[str, int, int], ...]
    confined: SandboxMode

    @classmethod
    def of(cls, module: Path, command: list[str], folder: Path, confined: SandboxMode) -> _Known:
        package = (module.parents[1] / "package.json").stat()
        places = [(place, place.stat()) for place in project_files.places(folder)]
        return cls(
            module,
            command[0],
            (package.st_ino, package.st_mtime_ns),
            tuple((str(place), found.st_dev, found.st_ino) for place, found in places),
            confined,
        )


class _Service:
    """One process that bundles, and the thread that starts it: they end together.

    The thread asks the first question too, whose answer nobody waits for: it reads all files once.
    """

    def __init__(self, known: _Known, folder: Path, options: Mapping[str, Any], patience: float) -> None:
        self.known = known
        self.answered = threading.Event()
        self.ended = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        threading.Thread(target=self._live, args=(folder, options, patience), name="esbuild", daemon=True).start()

    def ask(self, options: Mapping[str, Any], patience: float) -> Bundled | None:
        """Have it bundle; None where it ended or cannot. Raises TimeoutExpired."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        with programs.ended_after(patience, self.end) as late:
            try:
                process.stdin.write(json.dumps({"options": options}).encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline(_LONGEST)
            except (OSError, ValueError):  # it ended meanwhile; ValueError: with its pipes
                line = b""
        if late.is_set():
            raise subprocess.TimeoutExpired(self.known.program, patience)
        bundled = _read(line)
        if bundled is None:
            self.end()
        return bundled

    def end(self) -> None:
        self._over.set()
        if self._process is not None:
            self._process.kill()

    def _live(self, folder: Path, options: Mapping[str, Any], patience: float) -> None:
        # Who waits for a bundle meanwhile gets it without this one, and is told there what is wrong with the project.
        with contextlib.suppress(OSError, subprocess.TimeoutExpired, Problem):
            self._serve(folder, options, patience)
        self.ended.set()

    def _serve(self, folder: Path, options: Mapping[str, Any], patience: float) -> None:
        with _start(self.known, folder) as process:
            self._process = process
            try:
                if not self._over.is_set() and self.ask(options, patience) is not None:
                    self.answered.set()
                    process.wait()
            finally:
                process.kill()


def _start(known: _Known, folder: Path) -> subprocess.Popen[bytes]:
    deno = find_deno()
    if deno is None:
        raise Problem("Deno was not found: install the package deno with pip")
    confined = known.confined == "required"
    return programs.start(
        [deno, *programs.DENO, *_RIGHTS, str(_SCRIPT), str(known.module)],
        folder,
        known.confined,
        environment={"ESBUILD_BINARY_PATH": known.program, "GOGC": "400"}
        | ({"DENO_DIR": "/tmp/deno"} if confined else {}),
        mounts={place: place for place in (deno, str(_SCRIPT))},
        links={"/proc/self/exe": deno},  # where Deno, which sees no /proc, asks for its own program
    )


def _read(line: bytes) -> Bundled | None:
    """Read an answer; None for one that is none: the process is as trustworthy as the packages of the project."""
    try:
        answer = json.loads(line)
        if isinstance(answer["errors"] if "errors" in answer else answer["code"], str):
            return Bundled(answer.get("code"), tuple(map(str, answer.get("inputs", ()))), answer.get("errors", ""))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        pass
    return None
