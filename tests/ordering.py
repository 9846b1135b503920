"""The order of test files: those that take longest begin, so that no core is left with one of them at the end.

`DEVKIT_TEST_RECORD=1 make test` writes anew how long each takes. What is not written down begins: it may take long.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
RECORDING = bool(os.environ.get("DEVKIT_TEST_RECORD"))
_spent: Counter[str] = Counter()


def slowest_first(items: list[pytest.Item]) -> None:
    """Sort tests by how long their file took; seconds of a whole file."""
    known: dict[str, float] = json.loads(DURATIONS.read_text())
    items.sort(key=lambda item: -known.get(item.path.relative_to(ROOT).as_posix(), float("inf")))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what each file took."""
    if RECORDING:
        _spent[report.nodeid.partition("::")[0]] += report.duration


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any) -> None:
    """Write it down, but for files that were not run: in the leading process alone."""
    if RECORDING and not hasattr(session.config, "workerinput"):
        known = json.loads(DURATIONS.read_text()) | {name: round(spent, 1) for name, spent in _spent.items()}
        there = {name: known[name] for name in sorted(known) if (ROOT / name).exists()}
        DURATIONS.write_text(json.dumps(there, indent=1) + "\n")
