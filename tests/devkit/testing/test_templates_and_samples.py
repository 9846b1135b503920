"""Every template in Python and every sample passes its own tests, in process and in the engine that serves it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from devkit.commands.new import TEMPLATES
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import SAMPLES, copy_sample

ROOT = SAMPLES.parent
IN_TYPESCRIPT = SAMPLES / "diagram-js"
"""The one that needs packages of npm; templates in TypeScript are tested with theirs, in `tests/templates`."""
TESTED = [ROOT / "templates" / "python" / name for name in TEMPLATES]
TESTED += [folder for folder in sorted(SAMPLES.iterdir()) if folder.is_dir() and folder != IN_TYPESCRIPT]
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


@pytest.mark.skipif(
    not (IN_TYPESCRIPT / "node_modules" / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)
def test_the_sample_in_typescript_passes_its_tests_and_its_types_hold(shell: Shell, tmp_path: Path) -> None:
    folder = copy_sample("diagram-js", tmp_path)
    done = shell("test", "--json", folder=folder)
    assert (done.code, done.json["passed"], done.json["failed"]) == (0, 3, 0), done.out
    compiler = folder / "node_modules" / "typescript" / "bin" / "tsc"
    typed = subprocess.run(
        ["node", compiler, "--noEmit", "--project", folder], capture_output=True, text=True, timeout=300
    )
    assert (typed.returncode, typed.stdout) == (0, "")
