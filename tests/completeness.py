"""In CI every test runs: one that is skipped there fails the run, whatever its reason is elsewhere."""

from __future__ import annotations

import os
from typing import Any

import pytest

COMPLETE = bool(os.environ.get("DEVKIT_TEST_COMPLETE"))


def _skipped(config: pytest.Config) -> list[Any]:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    return list(reporter.stats.get("skipped", [])) if reporter is not None else []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Fail a run that left tests out; in the leading process alone."""
    leads = not hasattr(session.config, "workerinput")
    if COMPLETE and leads and exitstatus == pytest.ExitCode.OK and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say why such a run failed."""
    if COMPLETE and _skipped(config):
        terminalreporter.line("DEVKIT_TEST_COMPLETE: every test must run here; those above were skipped", red=True)
