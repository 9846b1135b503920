"""Every template in Python and every sample passes its own tests, in process and in the engine that serves it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devkit.commands.new import TEMPLATES
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES

ROOT = SAMPLES.parent
IN_JAVASCRIPT = {"diagram-js"}
"""What needs packages of npm; tests of its folder run it, as those of `tests/templates` do with the templates."""
TESTED = [ROOT / "templates" / "python" / name for name in TEMPLATES]
TESTED += [folder for folder in sorted(SAMPLES.iterdir()) if folder.is_dir() and folder.name not in IN_JAVASCRIPT]
LEFT = shutil.ignore_patterns(".devkit", "__pycache__", "node_modules")


@pytest.mark.parametrize("folder", TESTED, ids=lambda folder: folder.name)
def test_its_tests_pass_both_ways(folder: Path, shell: Shell, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "tested", ignore=LEFT)
    passed = []
    for more in ((), ("--sandboxed",)):
        done = shell("test", "--json", *more, "--", "-m", "not browser", folder=tmp_path / "tested")
        assert (done.code, done.json["failed"]) == (0, 0), done.out
        passed.append(done.json["passed"])
    assert passed[0] == passed[1] > 0
