"""What editors and type checkers see in a project that `devkit new` made: pyright, as in editors, and mypy."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devkit.commands.new import TEMPLATES
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE

ROOT = Path(__file__).parents[3]
REVEALED = re.compile(r'Type of "(?P<what>.+?)" is "(?P<type>.+)"', re.DOTALL)
UNKNOWN = re.compile(r"\bUnknown\b")
PYRIGHT = shutil.which("pyright", path=sysconfig.get_path("scripts"))


@dataclass(frozen=True)
class Said:
    """What pyright said of files: the sentences of its errors, and the types it was asked for."""

    errors: list[str]
    types: dict[str, str]


def pyright(folder: Path, python: str = sys.executable) -> Said:
    """Have all of a folder checked, as an editor does with that interpreter; nothing is fetched."""
    assert PYRIGHT is not None
    done = subprocess.run(
        [PYRIGHT, "--outputjson", "--pythonpath", python, str(folder)],
        env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "npm_config_offline": "true"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    types = [REVEALED.match(one["message"]) for one in found if one["severity"] == "information"]
    return Said(
        [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in found if one["severity"] != "information"],
        {match["what"]: match["type"] for match in types if match is not None},
    )


def asking(source: str) -> str:
    """Have the type of each argument of each function revealed, at the beginning of its body."""
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for function in sorted(functions, key=lambda node: node.body[0].lineno, reverse=True):
        names = [argument.arg for argument in function.args.args]
        lines[function.body[0].lineno - 1 : 0] = []
        lines.insert(function.body[0].lineno - 1, "    " + "; ".join(f"reveal_type({name})" for name in names or ["0"]))
    return "\n".join(lines) + "\n"


def made(shell: Shell, template: str) -> Path:
    done = shell("new", f"my-{template}", "--template", template, "--json")
    assert done.code == 0, done.err
    return Path(done.json["folder"])


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_typed(template: str, shell: Shell) -> None:
    folder = made(shell, template)
    assert pyright(folder).errors == []
    script = folder / "integration.py"
    script.write_text(asking(script.read_text(encoding="utf-8")), encoding="utf-8")
    said = pyright(folder)
    assert said.errors == []
    handed = {"element": "Element", "context": "Context", "request": "Request"}
    assert said.types and not [one for one in said.types.values() if UNKNOWN.search(one)]
    assert {name: said.types[name] for name in handed.keys() & said.types.keys()} == {
        name: handed[name] for name in handed.keys() & said.types.keys()
    }


PROBE = """
from runtime.sdk import Context, Element, Integration, ui
from runtime.sdk.events import PageFeedback, SpaceContentUpdated

integration = Integration()


@integration.component("one")
def one(element: Element, context: Context):
    reveal_type(element.state)
    reveal_type(element.context["theme"])
    reveal_type(context.configuration)
    reveal_type(context.environment["integration"]["version"])
    reveal_type(context.api.get)
    reveal_type(ui.text("x"))
    return ui.block(ui.text(element.missing))


@integration.on("space_content_updated")
def two(event: SpaceContentUpdated):
    reveal_type(event["revisionId"])
    return event["revisionID"]


@integration.on("page_feedback")
def three(event: PageFeedback):
    reveal_type(event["feedback"]["rating"])


@integration.on("page_fedback")
def four(event: PageFeedback):
    return None
"""
TYPES = {
    "element.state": "dict[str, Any]",
    'element.context["theme"]': "Literal['light', 'dark']",
    "context.configuration": "dict[str, Any]",
    'context.environment["integration"]["version"]': "int",
    'event["revisionId"]': "str",
    'event["feedback"]["rating"]': "Literal['bad', 'ok', 'good']",
}
MISTAKES = ("missing", "revisionID", "page_fedback")


def seen(folder: Path, python: str) -> None:
    """Look at a script that asks for types, and has three mistakes."""
    (folder / "probe.py").write_text(PROBE)
    said = pyright(folder, python)
    # pyright writes names as they stand in the script, with quotes of either kind.
    types = {what.replace("'", '"'): kind for what, kind in said.types.items()}
    assert {what: types.get(what) for what in TYPES} == TYPES
    assert not [one for one in said.types.values() if UNKNOWN.search(one)]
    assert len(said.errors) == len(MISTAKES), said.errors
    assert all(any(word in error for error in said.errors) for word in MISTAKES), said.errors


def test_attributes_and_keys_have_types_and_mistakes_are_seen(tmp_path: Path) -> None:
    seen(tmp_path, sys.executable)


def test_an_installed_package_is_seen_as_well(tmp_path: Path) -> None:
    source, built = tmp_path / "source", tmp_path / "built"
    left = shutil.ignore_patterns("__pycache__", "node_modules", ".devkit")
    for folder in ("devkit", "runtime", "templates"):
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=left)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, source / file)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(built)], cwd=source, check=True, capture_output=True, timeout=300)
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    packages = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    shutil.unpack_archive(wheel, packages, "zip")
    assert (packages / "devkit" / "manifests" / "integration.schema.json").is_file()
    (tmp_path / "project").mkdir()
    seen(tmp_path / "project", str(tmp_path / "venv" / "bin" / "python"))


@pytest.mark.parametrize("template", ["block", "event-handler"])
def test_mypy_sees_the_same(template: str, shell: Shell) -> None:
    folder = made(shell, template)
    script = folder / "integration.py"
    script.write_text(asking(script.read_text(encoding="utf-8")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--cache-dir", str(folder / "cache"), "integration.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert "error" not in done.stdout, done.stdout
    assert "Revealed type is" in done.stdout and "runtime.sdk" in done.stdout
