"""The watcher calls for sources that change, once for a burst, and for nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devkit.projects.watcher import Watcher


class Calls:
    """Counts calls and waits for them."""

    def __init__(self) -> None:
        self.count = 0
        self._more = threading.Condition()

    def __call__(self) -> None:
        with self._more:
            self.count += 1
            self._more.notify_all()

    def reach(self, count: int) -> None:
        with self._more:
            assert self._more.wait_for(lambda: self.count >= count, timeout=20), self.count


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[Calls]:
    for folder in ("package", ".devkit", "__pycache__", "node_modules"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a.py").write_text("1")
    counted = Calls()
    watcher = Watcher(tmp_path, counted)
    watcher.start()
    yield counted
    watcher.stop()


def test_changes_are_reported(calls: Calls, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("2")
    calls.reach(1)
    settle(calls)
    before = calls.count
    # As many editors save: a new file takes the place of the old one.
    (tmp_path / "a.py.tmp").write_text("3")
    (tmp_path / "a.py.tmp").replace(tmp_path / "a.py")
    calls.reach(before + 1)
    settle(calls)
    before = calls.count
    (tmp_path / "package" / "new.py").write_text("4")
    calls.reach(before + 1)
    settle(calls)
    before = calls.count
    (tmp_path / "package" / "new.py").unlink()
    calls.reach(before + 1)


def test_what_is_not_a_source_is_not_reported(calls: Calls, tmp_path: Path) -> None:
    for name in (".devkit/host.sqlite", "__pycache__/a.pyc", "node_modules/b.js", "a.py.swp", "a.py~"):
        (tmp_path / name).write_text("x")
    (tmp_path / "a.py").read_text()
    (tmp_path / "a.py").write_text("the last of all changes")
    calls.reach(1)
    settle(calls)
    assert calls.count <= 2, "one write may be seen as two, not as seven"


def settle(calls: Calls) -> None:
    """Wait until no call has come for a while."""
    count = -1
    while count != calls.count:
        count = calls.count
        time.sleep(0.1)
