"""A project's script in the engine that will serve it, without a host: built, loaded, called."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn

from devkit.build.bundle import runtime_of, script
from devkit.build.source_positions import source_line
from devkit.offline import simulated_host
from devkit.offline.answers import ReadableAnswer
from devkit.offline.simulated_api import SimulatedApi
from devkit.offline.simulated_host import Configurations, Screen
from devkit.projects import project as projects
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Invocation, Limits, LoadReport, Outcome, Script, ScriptFault, Trace, TraceSink
from runtime.engines.calling import PoolBusy
from runtime.engines.egress import EgressRules
from runtime.engines.engine import AnswerCut
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable, authors_mode
from runtime.engines.table import ENGINES, UnknownRuntime

FRAME = re.compile(r"^\s+at (?:.*\()?(?P<file>[^\s():]+):(?P<line>\d+):(?P<column>\d+)\)?$", re.MULTILINE)
LOGGER = re.compile(r"^(?:\[[^\]]*\]\s*)+")
"""What `@gitbook/runtime` puts before a line it logs."""
EXPOSED = "ExposableError:"
"""How `@gitbook/runtime` logs an error that is meant for the user, which is not a fault of the script."""
SLACK = 5.0
"""Seconds that an engine may take beyond a call's own limits to report how it ended."""


def _offline(*_: object, **__: object) -> NoReturn:
    raise OSError("there is no network")


def offline() -> EgressRules:
    """Return egress rules that allow nothing."""
    return EgressRules(resolver=_offline)


@dataclass(frozen=True, slots=True)
class CallResult(ReadableAnswer):
    """How a call ended; `trace` holds its logs, its requests and what it used, `fault` where the script failed."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    trace: Trace
    fault: ScriptFault | None = None

    @property
    def asked_outside(self) -> bool:
        """Return whether a request of the script, to the API or elsewhere, got no response."""
        return any(subrequest.status is None for subrequest in self.trace.subrequests)


class SandboxedScript:
    """Runs a project's script in its sandbox, where the system has one or `sandbox` wants one. A context manager:

        with SandboxedScript(project) as run:
            answer = run.render("counter", props={"step": 2})

    The script is built once, on entering, which raises InvalidProject or Problem where it cannot be. Every method is
    safe to use from many threads. Without `secrets` those of the manifest are filled, and one that is not set raises
    InvalidProject; without `configurations` the manifest's forms are filled with what they suggest; without
    `rules` nothing outside is reachable, and with `simulated_api` nothing but the platform's API, which answers with
    plausible objects.
    """

    def __init__(
        self,
        project: Project,
        *,
        sandbox: SandboxMode | None = None,
        secrets: Mapping[str, str] | None = None,
        configurations: Configurations | None = None,
        rules: EgressRules | None = None,
        limits: Limits | None = None,
        simulated_api: bool = False,
    ) -> None:
        self.project = project
        self.runtime = runtime_of(project)
        self.secrets = projects.secrets(project) if secrets is None else secrets
        self.configurations = simulated_host.configured(project.manifest) if configurations is None else configurations
        self._sandbox, self._rules, self._limits = authors_mode(sandbox), rules or offline(), limits or Limits()
        self._simulated = simulated_api
        self._api: SimulatedApi | None = None

    def build(self) -> None:
        """Build the script, unless that was done; raises InvalidProject or Problem."""
        source, self.entry = script(self.project, "development", self._sandbox)
        self.script = Script(new_id(), self.runtime, source, self.entry, self.project.manifest.name)

    def __enter__(self) -> SandboxedScript:
        self.open()
        return self

    def open(self) -> None:
        """Start the engine, for use without `with`; `close` ends it. Raises InvalidProject, Problem."""
        if not hasattr(self, "script"):
            self.build()
        if self.runtime not in ENGINES:
            raise Problem(str(UnknownRuntime(self.runtime)))
        if self._simulated:
            self._api = SimulatedApi(self.environment)
            self._rules = self._api.rules(_offline)
        try:
            self._engine = ENGINES[self.runtime](self._sandbox, self._rules)
        except SandboxUnavailable as error:
            self._close_api()
            hint = " (--sandbox off runs without one)" if self._sandbox == "required" else ""
            raise Problem(f"{error}{hint}") from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the engine, after the calls that are under way."""
        self._engine.close()
        self._close_api()

    def _close_api(self) -> None:
        if self._api is not None:
            self._api.close()
            self._api = None

    def load(self) -> LoadReport:
        """Load the script without calling it; raises ScriptRefused with its place, or Problem."""
        try:
            return self._engine.check(self.script)
        except (RuntimeError, SandboxUnavailable, PoolBusy) as error:
            raise Problem(str(error)) from error

    def invoke(
        self,
        event: Mapping[str, Any],
        environment: Mapping[str, Any] | None = None,
        fetch_body: bytes | None = None,
        tenant: str | None = None,
    ) -> CallResult:
        """Send an event, and wait until all work for it is done; without an id it gets a fresh one.

        Without an environment it is that of an installation, on the event's space or site. Calls with another `tenant`
        get another process. Raises Problem where an engine does not report how the call ended.
        """
        installed = {"installationId": simulated_host.INSTALLATION} if environment is None else {}
        sent = {"eventId": new_id(), **installed, **event}
        visible = self.environment(sent) if environment is None else environment
        ended = threading.Event()
        traces: list[Trace] = []

        def done(trace: Trace) -> None:
            traces.append(trace)
            ended.set()

        event_json, environment_json = json.dumps(sent).encode(), json.dumps(visible).encode()
        outcome = self.call(
            event_json, environment_json, fetch_body, tenant or str(sent.get("installationId", "")), done
        )
        body = _collected(outcome)
        if not ended.wait(2 * self._limits.wall + SLACK):
            raise Problem(f"the engine for {self.runtime} did not report how a call ended", hint="run `devkit doctor`")
        trace = traces[0]
        fault = trace.fault or (self._logged(trace) if outcome.status >= 500 else None)
        return CallResult(outcome.status, outcome.headers, body, trace, fault)

    def call(self, event: bytes, environment: bytes, fetch_body: bytes | None, tenant: str, done: TraceSink) -> Outcome:
        """Send a call as a host does, in JSON texts; `done` gets the trace when all work for it is over."""
        invocation = Invocation(
            script=self.script,
            tenant=tenant,
            event=event,
            environment=environment,
            fetch_body=fetch_body,
            limits=self._limits,
        )
        return self._engine.invoke(invocation, done)

    def render(
        self,
        component: str,
        props: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        action: Mapping[str, Any] | None = None,
        screen: Screen | None = None,
    ) -> CallResult:
        """Draw a component on a screen, else in a page that is read; `props` are laid over the screen's own."""
        where = screen or simulated_host.page()
        event: dict[str, Any] = {
            "type": "ui_render",
            "componentId": component,
            "props": {**where.props, **(props or {})},
            "context": dict(where.context),
            **where.ids,
        }
        if state is not None:
            event["state"] = dict(state)
        if action is not None:
            event["action"] = dict(action)
        return self.invoke(event)

    def environment(self, ids: Mapping[str, Any]) -> dict[str, Any]:
        """Return the environment of a call; `ids` may hold a `spaceId` or a `siteId`."""
        return simulated_host.environment(self.project, self.runtime, self.secrets, self.configurations, ids)

    def _logged(self, trace: Trace) -> ScriptFault | None:
        """Find the error that a script's own runtime caught and logged: its message and the author's line."""
        folder = self.project.folder
        for line in reversed(trace.logs):
            sentence = LOGGER.sub("", line.message.partition("\n")[0])
            if line.level != "error" or sentence.startswith(EXPOSED):
                continue
            for match in FRAME.finditer(line.message):
                file = folder / match["file"]
                if file.is_file() and "node_modules" not in match["file"]:
                    place = int(match["line"]), int(match["column"])
                    return ScriptFault(sentence, match["file"], *place, source_line(folder, file, place[0]))
        return None


def _collected(outcome: Outcome) -> bytes:
    if isinstance(outcome.body, bytes):
        return outcome.body
    try:
        return b"".join(outcome.body)
    except AnswerCut:  # the trace holds the failure
        return b""
