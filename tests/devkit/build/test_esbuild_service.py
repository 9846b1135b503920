"""Bundles of an esbuild that stays are those of one that is started anew, and what becomes of it harms no bundle."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devkit.build import esbuild
from devkit.build.esbuild_service import EsbuildService
from devkit.manifests.findings import Finding
from runtime.engines.sandbox import SandboxMode
from tests.clients.packages import MODULES, needs_packages

pytestmark = needs_packages
MODES: tuple[SandboxMode, ...] = ("required", "off")
CODE = "import { text } from './text.js';\nexport default { fetch: () => new Response(text + MODE) };\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose packages are its own, so that tests may change them."""
    project = tmp_path / "project"
    for name in ("esbuild", "@esbuild"):
        shutil.copytree(MODULES / name, project / "node_modules" / name, symlinks=True)
    (project / "index.js").write_text(CODE)
    (project / "text.js").write_text("export const text = 'first';\n")
    return project


@pytest.fixture
def service() -> Iterator[EsbuildService]:
    service = EsbuildService()
    yield service
    service.close()


def bundled(folder: Path, service: EsbuildService | None, confined: SandboxMode = "required") -> str | list[Finding]:
    found = esbuild.find(folder)
    assert found is not None
    return esbuild.bundle(found, folder, folder / "index.js", "development", confined, service)


def answers(folder: Path, service: EsbuildService, confined: SandboxMode = "required") -> bool:
    """Bundle until what stays is there, or is known not to come; tell which."""
    found = esbuild.find(folder)
    assert found is not None
    options = {**esbuild.OPTIONS, "entryPoints": [str(folder / "index.js")], "absWorkingDir": str(folder)}
    until = time.monotonic() + 30
    while service.bundle(found, folder, options, 10, confined) is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def processes(folder: Path) -> list[int]:
    """Find what runs the module that stays, for this project."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.endswith(b"esbuild_service.mjs") for word in words) and str(folder).encode() in b" ".join(words):
            found.append(int(place.parent.name))
    return found


@pytest.mark.parametrize("mode", MODES)
def test_it_bundles_what_one_that_starts_anew_does(mode: SandboxMode, folder: Path, service: EsbuildService) -> None:
    assert bundled(folder, service, mode) == bundled(folder, None, mode)
    assert answers(folder, service, mode)
    for text in ("second", "third"):
        (folder / "text.js").write_text(f"export const text = '{text}';\n")
        code = bundled(folder, service, mode)
        assert code == bundled(folder, None, mode)
        assert f'"{text}"' in code
    for wrong in ("export const text = ;\n", "export const other = 1;\n", "import 'absent';\nexport const text = 1;\n"):
        (folder / "text.js").write_text(wrong)
        findings = bundled(folder, service, mode)
        assert isinstance(findings, list)
        assert findings == bundled(folder, None, mode)
    (folder / "text.js").write_text("export const text = 'mended';\n")
    assert '"mended"' in bundled(folder, service, mode)


@pytest.mark.parametrize("mode", MODES)
def test_it_reads_settings_and_packages_as_they_are_now(
    mode: SandboxMode, folder: Path, service: EsbuildService
) -> None:
    (folder / "index.js").write_text("import text from 'words';\nexport default { fetch: () => new Response(text) };\n")
    package = folder / "node_modules" / "words"
    package.mkdir()
    (package / "package.json").write_text('{"main": "one.js"}')
    for name in ("one", "two"):
        (package / f"{name}.js").write_text(f"export default 'from {name}';\n")
    assert answers(folder, service, mode)
    assert "from one" in bundled(folder, service, mode)
    (package / "package.json").write_text('{"main": "two.js"}')
    assert "from two" in bundled(folder, service, mode)
    # As installing anew does: another folder of the same name.
    (folder / "node_modules").rename(folder / "before")
    shutil.copytree(folder / "before", folder / "node_modules", symlinks=True)
    (folder / "node_modules" / "words" / "two.js").write_text("export default 'installed anew';\n")
    assert "installed anew" in bundled(folder, service, mode)
    assert answers(folder, service, mode)
    assert "installed anew" in bundled(folder, service, mode)


@pytest.mark.parametrize("mode", MODES)
def test_when_it_is_killed_bundles_go_on_and_another_begins(
    mode: SandboxMode, folder: Path, service: EsbuildService
) -> None:
    assert answers(folder, service, mode)
    for process in processes(folder):
        os.kill(process, 9)
    assert '"first"' in bundled(folder, service, mode)
    assert answers(folder, service, mode)
    assert processes(folder)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_of_it_stays_after_the_end(mode: SandboxMode, folder: Path, service: EsbuildService) -> None:
    assert answers(folder, service, mode)
    assert processes(folder)
    service.close()
    until = time.monotonic() + 10
    while processes(folder) and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes(folder)
    assert '"first"' in bundled(folder, service, mode)
    assert not processes(folder)


@pytest.mark.parametrize(
    "module",
    [
        "process.stdout.write('no answer\\n');",
        "process.stdout.write('[1]\\n');",
        "process.stdout.write('{\"code\": 7}\\n');",
        "process.stdout.write('{\"inputs\": []}\\n');",
        "process.exit();",
        "module.exports = { version: '0.16.0' };",
        "throw new Error('broken');",
    ],
)
def test_a_module_that_cannot_stay_is_done_without(module: str, folder: Path, service: EsbuildService) -> None:
    (folder / "node_modules" / "esbuild" / "lib" / "main.js").write_text(module)
    assert '"first"' in bundled(folder, service)
    until = time.monotonic() + 20
    while processes(folder) and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes(folder)
    assert '"first"' in bundled(folder, service)
    assert not processes(folder)


def test_one_that_hangs_is_given_up(folder: Path, service: EsbuildService) -> None:
    assert answers(folder, service)
    found = esbuild.find(folder)
    assert found is not None
    for process in processes(folder):
        os.kill(process, 19)
    with pytest.raises(subprocess.TimeoutExpired):
        service.bundle(found, folder, {**esbuild.OPTIONS, "entryPoints": [str(folder / "index.js")]}, 0.3, "required")
    assert '"first"' in bundled(folder, service)


def test_it_reaches_neither_files_nor_environment(
    folder: Path, service: EsbuildService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTHORS_TOKEN", "the author's token")
    (tmp_path / "secret.txt").write_text("the author's secret")
    module = folder / "node_modules" / "esbuild" / "lib" / "main.js"
    tried = f"""
        const tried = (does) => {{ try {{ return String(does()); }} catch {{ return 'refused'; }} }};
        const fs = require('node:fs');
        const found = [
            tried(() => fs.readFileSync({json.dumps(str(tmp_path / "secret.txt"))}, 'utf-8')),
            tried(() => fs.readdirSync({json.dumps(str(Path.home()))}).length && 'home'),
            tried(() => fs.writeFileSync({json.dumps(str(folder / "written"))}, 'x') ?? 'wrote'),
            tried(() => require('node:child_process').execSync('cat {tmp_path}/secret.txt')),
            String(process.env.AUTHORS_TOKEN),
        ];
        module.exports = {{ context: () => ({{
            rebuild: () => ({{ outputFiles: [{{ text: found.join() }}], metafile: {{ inputs: {{}} }} }}),
            dispose: () => undefined,
        }}) }};
    """
    module.write_text(tried)
    assert answers(folder, service)
    assert bundled(folder, service) == "refused,refused,refused,refused,undefined"
    assert not (folder / "written").exists()
