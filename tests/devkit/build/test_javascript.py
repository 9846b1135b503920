"""A JavaScript or TypeScript project becomes one module, and what is wrong with it is reported with its place."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from devkit.build import esbuild, javascript
from devkit.build.bundle import publish_body
from devkit.manifests.findings import InvalidProject
from devkit.projects.project import load
from devkit.terminal.output import Problem
from tests.clients.packages import MODULES, needs_packages

SCRIPT = """import { createComponent, createIntegration } from '@gitbook/runtime';
import inline from './shown.raw.js';
import style from './shown.raw.css';

const counter = createComponent({
    componentId: 'counter',
    render: async () => <block><text>{inline} {style} {process.env.NODE_ENV}</text></block>,
});

export default createIntegration({ components: [counter] });
"""


def write(
    folder: Path, script: str = SCRIPT, name: str = "src/index.tsx", manifest: str = "gitbook-manifest.yaml"
) -> Path:
    (folder / "src").mkdir(exist_ok=True)
    (folder / manifest).write_text(
        f"name: sample\ntitle: Sample\ndescription: A sample.\norganization: any\nscript: ./{name}\nscopes: []\n"
    )
    (folder / name).write_text(script, encoding="utf-8")
    (folder / "src" / "shown.raw.js").write_text("alert('shown as text')")
    (folder / "src" / "shown.raw.css").write_text("b { color: teal }")
    return folder


@pytest.fixture
def npm_project(tmp_path: Path) -> Path:
    """A project with the packages of today's authors."""
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"@gitbook/runtime": "*", "absent-one": "*"}}))
    (tmp_path / "node_modules").symlink_to(MODULES)
    return write(tmp_path)


def body(folder: Path, mode: str = "production") -> dict[str, Any]:
    return publish_body(load(str(folder)), "org", mode)


def faults(folder: Path) -> list[str]:
    with pytest.raises(InvalidProject) as caught:
        body(folder)
    return [finding.sentence for finding in caught.value.findings]


def source_map(code: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(base64.b64decode(code.rsplit("base64,", 1)[1]))
    return body


@needs_packages
@pytest.mark.parametrize("mode", ["development", "production"])
def test_a_project_is_bundled_as_it_stands(mode: str, npm_project: Path) -> None:
    value = body(npm_project, mode)
    assert (value["runtime"], value["entry"]) == ("v2", "src/index.tsx")
    code = value["script"]
    assert "alert('shown as text')" in code
    assert "color: teal" in code
    assert f'"{mode}"' in code
    assert "export" in code
    assert "process.env.NODE_ENV" not in code.partition("//# sourceMappingURL")[0]
    assert "src/index.tsx" in source_map(code)["sources"]


@needs_packages
def test_a_bundle_for_publishing_is_made_small(npm_project: Path) -> None:
    def size(mode: str) -> int:
        return len(body(npm_project, mode)["script"].partition("//# sourceMappingURL")[0])

    assert size("production") < size("development") / 1.5


@needs_packages
def test_the_bundler_is_found_from_a_folder_below(npm_project: Path) -> None:
    below = npm_project / "packages" / "one"
    below.mkdir(parents=True)
    assert "alert('shown as text')" in body(write(below))["script"]
    found = esbuild.find(below)
    assert found is not None
    assert found.command[0].endswith("/bin/esbuild")


@needs_packages
@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("import a from './nope';\nconsole.log(a);\n", "src/index.tsx:1:15: there is no file './nope' to import"),
        (
            "import a from 'left-padder/x';\nconsole.log(a);\n",
            "src/index.tsx:1:15: there is no package 'left-padder'; run `npm install",
        ),
        (
            "import a from 'absent-one';\nconsole.log(a);\n",
            "src/index.tsx:1:15: the package 'absent-one' is not installed; run `npm inst",
        ),
        (
            "import a from 'fs';\nconsole.log(a);\n",
            "src/index.tsx:1:15: there is no package 'fs'; the Node module is written 'node:fs'",
        ),
        ("const ä = 'ö', b = ;\n", 'src/index.tsx:1:20: unexpected ";"'),
        ("import { gone } from './other';\ngone();\n", 'src/index.tsx:1:10: No matching export in "src/other.ts" for'),
    ],
)
def test_what_the_bundler_finds_is_reported_with_its_place(added: str, expected: str, npm_project: Path) -> None:
    (npm_project / "src" / "other.ts").write_text("export const here = 1;\n")
    findings = faults(write(npm_project, added + SCRIPT))
    assert findings[0].startswith(expected)


@needs_packages
def test_every_fault_is_reported_at_once(npm_project: Path) -> None:
    findings = faults(write(npm_project, "import './a';\nimport './b';\n" + SCRIPT))
    assert [sentence.split(":")[1] for sentence in findings] == ["1", "2"]


def test_packages_that_are_not_installed_are_reported(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    with pytest.raises(Problem, match="are not installed; run `npm install` in its folder"):
        body(write(tmp_path))
    (tmp_path / "node_modules").mkdir()
    with pytest.raises(Problem, match="run `npm install --save-dev esbuild` in its folder"):
        body(tmp_path)


def test_an_esbuild_that_cannot_run_is_reported(tmp_path: Path) -> None:
    broken = tmp_path / "node_modules" / ".bin" / "esbuild"
    broken.parent.mkdir(parents=True)
    broken.write_text("no program")
    with pytest.raises(Problem, match=r"esbuild cannot be run: .*; run `npm install` again"):
        body(write(tmp_path))


@needs_packages
def test_a_bundle_that_is_too_large_is_refused(npm_project: Path) -> None:
    (npm_project / "src" / "large.raw.js").write_text("x" * 11_000_000)
    with pytest.raises(Problem, match="at most 10485760 are allowed"):
        body(write(npm_project, "import large from './large.raw.js';\nconsole.log(large);\n" + SCRIPT))


def test_scripts_in_other_languages_are_refused(tmp_path: Path) -> None:
    assert faults(write(tmp_path, "x", "src/index.rb"))[0].startswith(
        "gitbook-manifest.yaml:5:9: a script must be written in Python or JavaScript: .py, .js"
    )


@needs_packages
@pytest.mark.parametrize("ending", sorted(javascript.ENDINGS))
def test_every_ending_is_bundled(ending: str, npm_project: Path) -> None:
    script = "export default { fetch: () => new Response('x') };\n"
    value = body(write(npm_project, script, f"src/index{ending}"))
    assert value["runtime"] == "v2"


def test_a_project_without_packages_is_bundled_by_deno(tmp_path: Path) -> None:
    folder = write(tmp_path, "import { b } from './b.ts';\nexport default { fetch: () => MODE + b };\n", "src/index.ts")
    (folder / "src" / "b.ts").write_text("export const b: string = 'from b';\n")
    try:
        code = body(folder, "development")["script"]
    except Problem as problem:
        # Deno fetches its bundler once; without that there is nothing to try here.
        assert "could not be bundled by deno" in problem.sentence
        pytest.skip(problem.sentence)
    assert code.startswith('const MODE = "development";\n')
    assert "from b" in code
    assert source_map(code)["mappings"].startswith(";")
    (folder / "src" / "b.ts").write_text("export const = 1;\n")
    assert faults(folder)[0].startswith("src/b.ts:1:14: SyntaxError: ")
    (folder / "src" / "b.ts").unlink()
    assert faults(folder) == ['src/index.ts:1:19: Module not found "src/b.ts".']


@needs_packages
def test_linked_packages_are_followed_to_their_bundler(tmp_path: Path) -> None:
    store = tmp_path / "node_modules" / ".store" / "esbuild" / "node_modules"
    shutil.copytree(MODULES / "@esbuild", store / "@esbuild", symlinks=True)
    (store / "esbuild").mkdir()
    (tmp_path / "node_modules" / "esbuild").symlink_to(store / "esbuild")
    found = esbuild.find(tmp_path)
    assert found is not None
    assert Path(found.command[0]).is_relative_to(store)
