"""A run that must end by some time: what has not begun by then is left out, and named.

CI ends a run that takes too long, and then says nothing of what passed. On a machine that is slow that day this run
ends by itself, with what it has found. `DEVKIT_TEST_UNTIL` is that moment, in seconds since 1970, and
`DEVKIT_TEST_SHARE` the part of the time until then that this one of several runs may take.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import pytest

_UNTIL = "DEVKIT_TEST_UNTIL"
_SHARE = "DEVKIT_TEST_SHARE"
_OWN = "DEVKIT_TEST_OWN_UNTIL"  # of this run; set by the leading process, for those that it starts
_left_out: Counter[str] = Counter()


def pytest_configure(config: pytest.Config) -> None:
    """Divide the time, in the leading process."""
    if os.environ.get(_UNTIL) and not hasattr(config, "workerinput"):
        now = time.time()
        left = max(0.0, float(os.environ[_UNTIL]) - now)
        os.environ[_OWN] = str(now + left * float(os.environ.get(_SHARE) or 1))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out when the time is over."""
    until = os.environ.get(_OWN)
    if not until or time.time() < float(until):
        return None
    _left_out[item.nodeid.partition("::")[0]] += 1
    return True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any) -> None:
    """Tell the leading process."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what one of the others left out; one that died has said nothing."""
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name what did not run."""
    if not _left_out:
        return
    terminalreporter.section("not run: the time was over", red=True)
    for file, count in sorted(_left_out.items()):
        terminalreporter.line(f"{file}: {count}")
    terminalreporter.line(
        f"{_left_out.total()} tests of {len(_left_out)} files; this machine is too slow today for all of them", red=True
    )
