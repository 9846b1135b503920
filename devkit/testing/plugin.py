"""The pytest plugin: fixtures and options. What they need is imported when a test asks for it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

__tracebackhide__ = True  # a failed test shows its own lines, and the script's

if TYPE_CHECKING:
    from devkit.projects.project import Project
    from devkit.terminal.output import Problem
    from devkit.testing.caller import Caller
    from devkit.testing.clock import Clock
    from devkit.testing.fake_api import FakeApi
    from devkit.testing.faults import NotLoaded
    from devkit.testing.golden import Golden
    from devkit.testing.in_engine_caller import Engine
    from devkit.testing.integration import Integration


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of integrations' tests."""
    group = parser.getgroup("integrations")
    group.addoption("--sandboxed", action="store_true", help="run scripts in the engine that will serve them")
    # Not `--env`, which many projects have in a conftest.py of their own.
    group.addoption("--devkit-env", metavar="NAME", help="an environment of the manifest's `envs`; default: DEVKIT_ENV")
    group.addoption("--update-golden", action="store_true", help="rewrite the golden renders")


REPORTED = pytest.StashKey[set[str]]()
"""What kept tests from running, of which each was reported once."""


class Unusable(Exception):
    """Something keeps every test of a project from running: there is no project, or it has faults."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report what keeps every test from running once, and without how it was found."""
    report = yield
    if call.excinfo is not None:
        from devkit.testing.faults import AGAIN, NotLoaded

        error = call.excinfo.value
        if isinstance(error, (NotLoaded, Unusable)):
            reported, why = item.config.stash.setdefault(REPORTED, set()), str(error)
            if why in reported:
                report.longrepr = AGAIN
            elif call.when == "setup":
                report.longrepr = why
            reported.add(why)
    return report


class Projects:
    """The projects whose tests run, each read once; with their engines, which the session's end ends."""

    def __init__(self, env: str | None = None) -> None:
        """Take the environment of the manifests, or none."""
        self._env = env
        self._read: dict[Path, Project | Problem] = {}
        self._engines: dict[Path, Engine | Problem | NotLoaded] = {}

    def of(self, test: Path) -> Project:
        """Return the project a test file is in; raises Unusable if there is none, or one with faults."""
        from devkit.projects import project as projects
        from devkit.terminal.output import Problem
        from runtime.contract.manifest_files import FILES

        for folder in test.parents:
            if any((folder / name).is_file() for name in FILES):
                if folder not in self._read:
                    try:
                        self._read[folder] = projects.load(str(folder), self._env)
                    except Problem as problem:
                        self._read[folder] = problem
                found = self._read[folder]
                if isinstance(found, Problem):
                    raise Unusable(found.sentence) from None
                return found
        raise Unusable(f"{test.name} is not in a project: there is no {FILES[0]} in its folder or above")

    def caller(self, project: Project) -> Caller:
        """Return what calls the engine of a project, for one test; raises NotLoaded, or Unusable for other faults."""
        from devkit.terminal.output import Problem
        from devkit.testing.faults import NotLoaded
        from devkit.testing.in_engine_caller import Engine, InEngine

        if project.folder not in self._engines:
            try:
                self._engines[project.folder] = Engine(project)
            except (NotLoaded, Problem) as failed:
                self._engines[project.folder] = failed
        engine = self._engines[project.folder]
        if isinstance(engine, Problem):
            raise Unusable(engine.sentence) from None
        if isinstance(engine, NotLoaded):
            raise engine.with_traceback(None)
        return InEngine(engine)

    def close(self) -> None:
        """End all engines."""
        from devkit.testing.in_engine_caller import Engine

        for engine in self._engines.values():
            if isinstance(engine, Engine):
                engine.close()


@pytest.fixture(scope="session")
def _integration_projects(request: pytest.FixtureRequest) -> Iterator[Projects]:
    projects = Projects(request.config.getoption("devkit_env") or os.environ.get("DEVKIT_ENV") or None)
    yield projects
    projects.close()


@pytest.fixture
def api() -> FakeApi:
    """Answers for what the script asks of the platform's API and of others: `api.answers("GET", "/v1/...", {...})`."""
    from devkit.testing.fake_api import FakeApi

    return FakeApi()


@pytest.fixture
def integration(request: pytest.FixtureRequest, api: FakeApi, _integration_projects: Projects) -> Iterator[Integration]:
    """The integration of the folder the test is in; its script is reloaded for each test."""
    from devkit.testing.in_process_caller import InProcess
    from devkit.testing.integration import Integration

    project = _integration_projects.of(request.path)
    # Other languages than Python run in their engine only.
    sandboxed = request.config.getoption("sandboxed") or project.script.suffix != ".py"
    with InProcess(project.script, project.folder) as own:
        caller = _integration_projects.caller(project) if sandboxed else own
        yield Integration(project, caller, own, api)


@pytest.fixture
def clock(integration: Integration) -> Iterator[Clock]:
    """A clock that stands still until it is moved: `clock.advance(seconds=60)` works off tasks that come due."""
    from devkit.testing.clock import standing

    with standing(integration) as clock:
        yield clock


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a render with `golden/<test>.json` beside the test: `golden(page)`."""
    from devkit.testing.golden import Golden

    return Golden(request.path, request.node.name, bool(request.config.getoption("update_golden")))
