"""A deadline for a test run: tests that have not started by then are skipped, and listed.

CI kills a run that takes too long, and its results are lost. With a deadline, a run on a slow machine ends by itself
and reports its results. `DEVKIT_TEST_UNTIL` is the deadline, in seconds since 1970, and `DEVKIT_TEST_SHARE` the
fraction of the remaining time that this run, one of several, may take.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import pytest

_UNTIL = "DEVKIT_TEST_UNTIL"
_SHARE = "DEVKIT_TEST_SHARE"
_OWN = "DEVKIT_TEST_OWN_UNTIL"  # deadline of this run; set by the controller, for its workers
_left_out: Counter[str] = Counter()


def pytest_configure(config: pytest.Config) -> None:
    """Compute the deadline of this run, in the controller."""
    if os.environ.get(_UNTIL) and not hasattr(config, "workerinput"):
        now = time.time()
        left = max(0.0, float(os.environ[_UNTIL]) - now)
        os.environ[_OWN] = str(now + left * float(os.environ.get(_SHARE) or 1))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Skip a test after the deadline."""
    until = os.environ.get(_OWN)
    if not until or time.time() < float(until):
        return None
    _left_out[item.nodeid.partition("::")[0]] += 1
    return True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any) -> None:
    """Report the skipped tests of a worker to the controller."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the skipped tests of a worker; one that died has reported nothing."""
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List the files with tests that did not run."""
    if not _left_out:
        return
    terminalreporter.section("not run: the deadline has passed", red=True)
    for file, count in sorted(_left_out.items()):
        terminalreporter.line(f"{file}: {count}")
    terminalreporter.line(
        f"{_left_out.total()} tests of {len(_left_out)} files; this machine is too slow to run all in time", red=True
    )
