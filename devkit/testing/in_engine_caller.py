"""A project's script in the engine that will serve it: built and started once, a fresh process for each test."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from devkit.offline.sandboxed_script import SandboxedScript
from devkit.projects.project import Project
from devkit.testing.caller import Ended
from devkit.testing.fake_api import FakeApi
from devkit.testing.fake_network import FakeNetwork
from devkit.testing.faults import NotLoaded
from runtime.contract.invocation import ScriptFault
from runtime.engines.engine import ScriptRefused

__tracebackhide__ = True  # a failed test shows its own lines, and the script's

SERVED = count(1)


class Engine:
    """The engine of one project, for as long as its tests run; `close` ends it.

    Raises InvalidProject, NotLoaded, Problem.
    """

    def __init__(self, project: Project) -> None:
        self.outside = FakeNetwork()
        self.run = SandboxedScript(project, secrets={}, rules=self.outside.rules())
        try:
            self.run.open()
            self.run.load()
        except ScriptRefused as refused:
            self.close()
            raise NotLoaded(refused.fault) from refused
        except BaseException:
            self.outside.close()
            raise

    def close(self) -> None:
        """End the engine and the servers."""
        self.run.close()
        self.outside.close()


class InEngine:
    """Calls the script of an engine, as a tenant of its own: two tests never share a process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._tenant = f"test-{next(SERVED)}"

    def call(self, event: Mapping[str, Any], environment: Mapping[str, Any], body: bytes | None, api: FakeApi) -> Ended:
        """Send an event and wait until all work for it is done."""
        self._engine.outside.use(api)
        called = self._engine.run.invoke(event, environment, body, self._tenant)
        fault, failure = called.fault, called.trace.failure
        if failure is not None:
            fault = fault or ScriptFault(failure.message)
        elif called.status == 500 and fault is None and called.error:
            fault = ScriptFault(called.error)
        return Ended(called.status, called.headers, called.body, called.trace.logs, fault)
