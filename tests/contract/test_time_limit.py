"""What a run of tests leaves out when its time is over, and that it says so."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import time

import pytest


@pytest.fixture(scope="module")
def lent():
    yield 1
    print("given back")


def test_quick(lent): ...
def test_slow(lent): time.sleep(4)
def test_after_it(lent): ...
def test_last(): ...
"""


@pytest.mark.parametrize("options", [[], ["-n", "1"]], ids=["alone", "apart"])
def test_what_has_not_begun_in_time_is_left_out_and_named(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "test_late.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-s", "-p", "no:cacheprovider", *options]

    def run(seconds: float) -> subprocess.CompletedProcess[str]:
        environ = os.environ | {"DEVKIT_TEST_UNTIL": str(time.time() + seconds), "PYTHONPATH": str(ROOT)}
        environ.pop("DEVKIT_TEST_SHARE", None)
        return subprocess.run(
            [*command, str(tmp_path / "test_late.py")], cwd=tmp_path, env=environ, capture_output=True, text=True
        )

    over, plenty = run(-1), run(100)
    assert (over.returncode, plenty.returncode) == (0, 0)
    assert "4 tests of 1 files" in over.stdout
    assert "not run" not in plenty.stdout
    assert "4 passed" in plenty.stdout


def test_a_run_takes_its_share_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "test_late.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-s", "-p", "no:cacheprovider"]
    shared = {"DEVKIT_TEST_UNTIL": str(time.time() + 3000), "DEVKIT_TEST_SHARE": "0.001", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, str(tmp_path / "test_late.py")],
        cwd=tmp_path,
        env=os.environ | shared,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "2 tests of 1 files" in done.stdout
    assert "2 passed" in done.stdout
    assert "given back" in done.stdout
