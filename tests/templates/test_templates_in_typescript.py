"""Every template in TypeScript as an author gets it, with the packages of `package.json` beside this file."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from devkit.commands.new import PLACE, TEMPLATES
from devkit.testing.files import TYPES
from tests.devkit.dev_process import DevProcess, devkit
from tests.templates.probes import PROBES, Author

HERE = Path(__file__).parent
PACKAGES = HERE / "node_modules"
FOLDER = PLACE / "typescript"
KINDS = ("dependencies", "devDependencies")

needs_packages = pytest.mark.skipif(
    not (PACKAGES / ".installed").exists(),
    reason="the packages of templates are not installed: `make npm` installs them where there is an npm",
)


def made(template: str, home: Path) -> Path:
    """Make a project of a template, with its packages."""
    done = devkit(home, "new", f"my-{template}", "--template", template, "--language", "typescript")
    assert done.code == 0, done.err
    folder = home / f"my-{template}"
    (folder / "node_modules").symlink_to(PACKAGES)
    return folder


def read(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def test_they_ask_for_the_same_versions_which_are_installed_here() -> None:
    packages = [read(FOLDER / template / "package.json") for template in TEMPLATES]
    for kind in KINDS:
        asked = [pair for package in packages for pair in package[kind].items()]
        assert set(asked) == set(read(HERE / "package.json")[kind].items())
    assert len({json.dumps({key: package[key] for key in package if key not in KINDS}) for package in packages}) == 1
    assert len({(FOLDER / template / "tsconfig.json").read_text() for template in TEMPLATES}) == 1


@needs_packages
def test_their_types_hold(tmp_path: Path) -> None:
    # All at once: most of the compiler's time is for what they all import.
    for template in TEMPLATES:
        shutil.copytree(FOLDER / template, tmp_path / template)
    (tmp_path / "node_modules").symlink_to(PACKAGES)
    shutil.copy(TYPES, tmp_path)
    settings = read(FOLDER / "block" / "tsconfig.json")
    assert settings["include"] == ["src", "test", TYPES.name]
    settings["include"] = ["*/src", "*/test", TYPES.name]
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    compiler = PACKAGES / "typescript" / "bin" / "tsc"
    command = ["node", compiler, "--noEmit", "--project", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "")


@needs_packages
@pytest.mark.parametrize("template", TEMPLATES)
def test_its_tests_pass_it_is_checked_and_runs_under_dev(template: str, tmp_path: Path) -> None:
    folder = made(template, tmp_path)
    tested = devkit(tmp_path, "test", "--json", folder=folder)
    assert (tested.code, tested.json["failed"]) == (0, 0), tested.out + tested.err
    assert tested.json["passed"] >= 2
    checked = devkit(tmp_path, "check", "--json", "--strict", folder=folder)
    assert (checked.code, checked.json["findings"], checked.json["warnings"]) == (0, [], []), checked.out
    process = DevProcess(folder, tmp_path)
    try:
        PROBES[template](Author(folder, process))
        assert [line for line in process.messages if line["type"] in ("fault", "warning")] == []
        assert process.errors == []
    finally:
        process.end()
