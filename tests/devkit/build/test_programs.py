"""Bundlers and compilers that a project brings along reach nothing but the project."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from devkit.build import programs
from devkit.build.bundle import publish_body, script
from devkit.checking import type_check
from devkit.files import project_files
from devkit.manifests.findings import InvalidProject
from devkit.projects.project import load
from devkit.terminal.output import Problem
from runtime.engines import sandbox
from runtime.engines.sandbox import SandboxMode
from tests.clients.packages import MODULES, needs_packages

MODES: tuple[SandboxMode, ...] = ("required", "off")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the author's, outside every project."""
    (tmp_path / "home").mkdir()
    file = tmp_path / "home" / "secret.txt"
    file.write_text("the author's secret")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a script in JavaScript and without packages."""
    return project(tmp_path / "cloned")


def project(folder: Path, code: str = "export default { fetch: () => new Response('x') };\n") -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "integration.yaml").write_text(
        "name: sample\ntitle: Sample\ndescription: A sample.\norganization: any\nscript: src/index.js\nscopes: []\n"
    )
    (folder / "src" / "index.js").write_text(code)
    return folder


def faults(folder: Path, mode: SandboxMode) -> str:
    with pytest.raises(InvalidProject) as caught:
        script(load(str(folder)), "development", mode)
    return "\n".join(finding.sentence for finding in caught.value.findings)


def hostile(program: Path, does: str) -> None:
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)


def attempts(folder: Path, secret: Path) -> str:
    """Write what a hostile compiler would try, each with what it says where it works."""
    home = Path.home()
    tries = {
        "read a file": f"read line < {secret} && echo $line",
        "listed home": f"[ -d {home} ] && for f in {home}/.*; do [ -f $f ] && echo listed $f; done",
        "read the environment": 'echo "${AUTHORS_TOKEN:-}"',
        "wrote home": f"echo x > {secret.parent}/written && echo wrote",
        "wrote the project": f"echo x > {folder}/written && echo wrote",
        "saw processes": "[ -d /proc/1 ] && echo processes",
    }
    return "\n".join(f"( {attempt} ) 2>&-" for attempt in tries.values()) + "\nexit 0"


@pytest.mark.parametrize("kind", ["esbuild", "typescript"])
def test_a_compiler_of_a_cloned_project_reaches_neither_files_nor_environment(
    kind: str, folder: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTHORS_TOKEN", "the author's token")
    does = attempts(folder, secret)
    if kind == "esbuild":
        hostile(folder / "node_modules" / ".bin" / "esbuild", does)
        told = script(load(str(folder)), "development", "required")[0]
    else:
        (folder / "tsconfig.json").write_text("{}")
        (folder / "node_modules" / "typescript").mkdir(parents=True)
        native = f"typescript-{type_check.node_packages.this_machine()}"
        hostile(folder / "node_modules" / "@typescript" / native / "lib" / "tsc", does)
        told = "".join(finding.sentence for finding in type_check.find_errors(load(str(folder)), "required"))
    assert told.strip() == ""
    assert not (folder / "written").exists()
    assert not (secret.parent / "written").exists()


def test_without_a_sandbox_a_compiler_is_refused_and_the_way_around_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile(folder / "node_modules" / ".bin" / "esbuild", f"echo x > {folder}/written")
    for broken, sentence in ((None, "bubblewrap was not found"), ("/bin/false", "esbuild")):
        monkeypatch.setattr(sandbox, "find_bubblewrap", lambda there=broken: there)
        with pytest.raises(Problem, match=sentence) as caught:
            script(load(str(folder)))
        if broken is None:
            assert "--sandbox off runs the project's own compiler as your user" in caught.value.sentence
    assert not (folder / "written").exists()
    with pytest.raises(Problem, match="esbuild cannot be run"):  # it makes no bundle
        script(load(str(folder)), "development", "off")
    assert (folder / "written").exists()


@needs_packages
@pytest.mark.parametrize("mode", MODES)
def test_only_files_of_the_project_are_bundled(mode: SandboxMode, folder: Path, secret: Path) -> None:
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "src" / "linked.txt").symlink_to(secret)
    (folder / "src" / "shown.txt").write_text("a text of the project")
    code = "import text from '{}' with {{ type: 'text' }};\nexport default {{ fetch: () => new Response(text) }};\n"
    for way in (str(secret), "../../home/secret.txt", "./linked.txt"):
        (folder / "src" / "index.js").write_text(code.format(way))
        assert "is outside the project; only files below" in faults(folder, mode), way
    (folder / "src" / "index.js").write_text(code.format("./shown.txt"))
    assert "a text of the project" in script(load(str(folder)), "development", mode)[0]


@needs_packages
@pytest.mark.parametrize("mode", MODES)
def test_linked_packages_are_followed_within_the_workspace_alone(mode: SandboxMode, tmp_path: Path) -> None:
    for name in ("workspace/packages/shared", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "package.json").write_text(json.dumps({"name": "shared", "main": "index.js"}))
        (tmp_path / name / "index.js").write_text(f"export default 'from {name}';\n")
    code = "import text from 'shared';\nexport default { fetch: () => new Response(text) };\n"
    folder = project(tmp_path / "workspace" / "packages" / "one", code)
    packages = folder / "node_modules"
    packages.mkdir()
    for name in ("esbuild", "@esbuild"):
        shutil.copytree(MODULES / name, packages / name, symlinks=True)
    (packages / "shared").symlink_to(folder.parent / "shared")
    assert "outside the project" in faults(folder, mode)
    (tmp_path / "workspace" / "package.json").write_text(json.dumps({"workspaces": ["packages/*"]}))
    assert "from workspace/packages/shared" in script(load(str(folder)), "development", mode)[0]
    (packages / "shared").unlink()
    (packages / "shared").symlink_to(tmp_path / "elsewhere")
    assert "outside the project" in faults(folder, mode)


@pytest.mark.parametrize(
    ("file", "text", "there"),
    [
        ("package.json", '{"workspaces": ["./apps/**"]}', True),
        ("package.json", '{"workspaces": {"packages": ["apps/one"]}}', True),
        ("pnpm-workspace.yaml", "packages:\n  - 'apps/*'\n", True),
        ("package.json", '{"workspaces": ["other/*", 7]}', False),
        ("package.json", '{"workspaces": "apps/*"}', False),
        ("package.json", "[", False),
        ("pnpm-workspace.yaml", "packages: [", False),
    ],
)
def test_a_workspace_is_what_names_the_project(file: str, text: str, there: bool, tmp_path: Path) -> None:
    folder = tmp_path / "apps" / "one"
    folder.mkdir(parents=True)
    (tmp_path / file).write_text(text)
    assert project_files.root_of(folder) == (tmp_path if there else folder)


def test_a_home_is_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "package.json").write_text('{"workspaces": ["*"]}')
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_files.root_of(tmp_path / "one") == tmp_path / "one"


def test_packages_are_looked_for_in_folders_of_that_name_alone(tmp_path: Path, secret: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "node_modules").symlink_to(secret.parent)
    assert project_files.places(folder) == [folder]
    assert not project_files.within(folder / "node_modules" / "secret.txt", folder)


@pytest.mark.parametrize("field", ["icon: ../home/secret.txt", "previewImages: [../home/secret.txt]"])
def test_pictures_are_of_the_project(field: str, folder: Path, secret: Path) -> None:
    manifest = folder / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("src/index.js", "index.py") + f"{field}\n")
    (folder / "index.py").write_text("integration = None\n")
    with pytest.raises(Problem, match="is outside the project"):
        publish_body(load(str(folder)), "org")


def test_scripts_and_modules_are_of_the_project(folder: Path, secret: Path) -> None:
    manifest = folder / "integration.yaml"
    text = manifest.read_text()
    manifest.write_text(text.replace("src/index.js", "../home/secret.py"))
    secret.with_suffix(".py").write_text("TOKEN = 'x'\n")
    assert "is outside the project" in faults(folder, "required")
    manifest.write_text(text.replace("src/index.js", "index.py"))
    (folder / "index.py").write_text("integration = None\n")
    (folder / "linked.py").symlink_to(secret.with_suffix(".py"))
    assert script(load(str(folder)))[0] == "integration = None\n"


def test_a_compiler_that_does_not_end_or_says_too_much_is_ended(folder: Path) -> None:
    program = folder / "node_modules" / ".bin" / "esbuild"
    hostile(program, "while :; do :; done")
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        programs.run([str(program)], folder, 0.5, "required")
    assert time.monotonic() - began < 10
    program.write_text("#!/bin/sh\nwhile echo 0123456789012345678901234567890123456789; do :; done\n")
    done = programs.run([str(program)], folder, 60, "required")
    assert len(done.stdout) <= 64 * 1024 * 1024
