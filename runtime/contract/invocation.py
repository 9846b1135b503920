"""One call of a script: what goes in, what comes out, and the limits between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

LogLevel = Literal["debug", "info", "warn", "error"]
LimitName = Literal["wall", "cpu", "memory", "subrequests", "script", "log", "response"]
FailureKind = Literal["timeout", "unreachable", "limit", "overload"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use; the same table in `devkit dev` and in `devkit serve`.

    Times are seconds, sizes are bytes. Source: docs/contract/api.md, "Limits".
    """

    wall: float = 30.0
    cpu: float = 10.0
    memory: int = 128 * 1024 * 1024
    subrequests: int = 50
    script: int = 10 * 1024 * 1024
    log: int = 200 * 1024
    response: int = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Script:
    """One published version of an integration's code.

    `version` identifies the code for ever (the id of the version row). `source` is Python text, or
    `data:application/zip;base64,...` with a folder. `entry` is the file name an author knows the script by.
    """

    version: str
    runtime: str
    source: str
    entry: str = "integration.py"
    integration: str = ""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One event on its way to one script, in three parts (docs/contract/scripts.md, "The request").

    `tenant` is the installation id, or "" for a call of the integration itself: two tenants never share a process.
    `organization` is whose call it is: what is scarce is divided among organizations.
    `event` and `environment` are JSON text in UTF-8.
    """

    script: Script
    tenant: str
    event: bytes
    environment: bytes
    fetch_body: bytes | None = None
    limits: Limits = field(default_factory=Limits)
    tunnel_url: str | None = None
    organization: str = ""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line a script wrote; `timestamp` is seconds since the epoch."""

    timestamp: float
    level: LogLevel
    message: str


@dataclass(frozen=True, slots=True)
class Subrequest:
    """One request a script made through the egress proxy; `status` is None when there was no answer."""

    timestamp: float
    method: str
    url: str
    status: int | None
    duration_ms: float
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptFault:
    """Where in the author's code something went wrong; lines and columns count from 1."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None
    hint: str | None = None


@dataclass(slots=True)
class Usage:
    """What one call used, in the units of `Limits`."""

    wall: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    subrequests: int = 0
    log: int = 0
    response: int = 0


@dataclass(slots=True)
class Trace:
    """Everything a call left behind; complete when the work after its answer has ended too.

    `sent` is when the host began to look for a process, `began` when the script began, in seconds since the epoch; 0
    for what did not come to pass.
    """

    logs: list[LogLine] = field(default_factory=list)
    subrequests: list[Subrequest] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    fault: ScriptFault | None = None
    failure: Failure | None = None
    sent: float = 0.0
    began: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call got no answer of its script.

    `timeout`: over the wall or CPU limit. `unreachable`: the script's process or tunnel went away. `limit`: over
    another limit. `overload`: no worker became free in time. `message` is neutral and may be shown to anybody.
    """

    kind: FailureKind
    message: str
    limit: LimitName | None = None


@dataclass(slots=True)
class Outcome:
    """The script's answer, or the failure that took its place.

    `body` may be read once. With a `failure` the status is 504 (timeout), 503 (overload) or 502 (all else) and the
    body is empty.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes | Iterable[bytes]
    failure: Failure | None = None
    fault: ScriptFault | None = None


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a script registered while it was loaded; `actions` are pairs of a component and a name.

    `memory` is what it holds since then, in bytes beyond those of a process without a script.
    """

    components: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    content_sources: tuple[str, ...] = ()
    logs: tuple[LogLine, ...] = ()
    actions: tuple[tuple[str, str], ...] = ()
    memory: int = 0


TraceSink = Callable[[Trace], None]
