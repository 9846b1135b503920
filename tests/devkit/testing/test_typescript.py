"""Tests of integrations in TypeScript: the verbs of those in Python, run by Deno, against the script in its engine."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devkit.events.signing import SIGNERS
from devkit.testing.clock import Clock
from devkit.testing.fake_api import FakeApi, Reply, ScriptRequest
from devkit.testing.files import TYPES
from devkit.testing.installed import Place
from devkit.testing.integration import ContentSource, Integration
from devkit.testing.plugin import api, clock, golden, integration
from devkit.testing.render import Render
from devkit.testing.results import Queued, Result
from runtime.contract.events import EVENTS
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, SAMPLES, environment

SAMPLE = Path(__file__).parent / "sample_typescript"
PACKAGES = SAMPLES / "diagram-js" / "node_modules"
ELSEWHERE = {
    "Integration": {
        "api",  # is a fixture of its own
        "script",  # tests in TypeScript import what they test
        "project",  # `manifest` is what tests have asked it for
        "schedule",  # `tasks` are what waits in it
    },
    "FakeApi": {"knows", "respond", "miss", "missed"},  # for the platform's own answers, not for tests
    "Reply": {"encoded"},
}
"""Names of the verbs in Python that have another place in TypeScript, or none."""
CALLED = {"FakeApi": "Api"}

needs_packages = pytest.mark.skipif(
    not (PACKAGES / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("node_modules", "golden", ".devkit"))
    (folder / "node_modules").symlink_to(PACKAGES)
    return folder


@pytest.mark.parametrize(
    "kind", [Integration, Render, FakeApi, Clock, ContentSource, Place, Result, Queued, ScriptRequest, Reply]
)
def test_each_verb_in_python_has_its_twin(kind: type) -> None:
    name = CALLED.get(kind.__name__, kind.__name__)
    block = re.search(rf"interface {name}\b.*?\n    }}\n", TYPES.read_text(), re.DOTALL)
    assert block is not None
    typed = set(re.findall(r"^        (?:readonly )?(\w+)[(:?]", block[0], re.MULTILINE))
    typed |= {"status", "headers"} if "extends Required<ReplyOptions>" in block[0] else set()
    fields = set(getattr(kind, "__annotations__", ()))
    own = {verb for verb in {*dir(kind), *fields} if not verb.startswith("_")} - ELSEWHERE.get(kind.__name__, set())
    own |= {"calls"} if kind is FakeApi else {"id", "configuration"} if kind is Place else set()
    assert {re.sub("_(.)", lambda match: match[1].upper(), verb) for verb in own} <= typed


def test_the_types_name_all_that_can_be_named() -> None:
    text = TYPES.read_text()
    listed = {
        kind: set(re.findall(r"'([^']+)'", text.partition(f"type {kind} =")[2].partition(";")[0])) for kind in KINDS
    }
    assert listed == {kind: set(names) for kind, names in KINDS.items()}
    fixtures = text.partition("interface Fixtures {")[2].partition("\n    }")[0]
    for fixture in (integration, api, clock, golden):
        assert f"readonly {fixture.__name__}:" in fixtures


KINDS = {"EventType": EVENTS, "Signer": SIGNERS}


@needs_packages
def test_every_verb_does_what_it_does_in_python(sample: Path, shell: Shell) -> None:
    first = shell("test", "--update-golden", "--json", folder=sample)
    assert (first.code, first.json["failed"]) == (0, 0), first.out
    assert first.json["passed"] == (SAMPLE / "verbs.test.ts").read_text().count("\ntest(")
    kept = sample / "golden" / "what-the-platform-knows-can-be-asked.json"
    kept.write_text(kept.read_text().replace("value", "another"))
    differs = shell("test", "-k", "PLATFORM KNOWS", folder=sample)
    assert (differs.code, '-  "any": "another"' in differs.out, '+  "any": "value"' in differs.out) == (1, True, True)


@needs_packages
def test_the_types_hold(sample: Path, shell: Shell) -> None:
    (sample / "devkit-test.d.ts").write_text(shell("test", "--types", folder=sample).out)
    compiler = PACKAGES / "typescript" / "bin" / "tsc"
    command = ["node", compiler, "--noEmit", "--project", sample]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "")


FAILING = """\
import { assert, test } from 'devkit:test';

test('it differs', ({ integration }) => {
    assert.equal(integration.render('form').state.color, 'blue');
});

test('nothing is there', ({ integration }) => {
    const page = integration.render('form');
    page.click('Nowhere');
});

test('the script fails', ({ integration }) => {
    integration.render('form').act('crash');
});

test('nobody answers', ({ integration }) => {
    integration.event('site_view');
});
"""


@needs_packages
def test_what_fails_is_shown_with_its_line(sample: Path, shell: Shell) -> None:
    (sample / "verbs.test.ts").unlink()
    (sample / "test").mkdir()
    (sample / "test" / "failing.test.ts").write_text(FAILING)
    done = shell("test", folder=sample, NO_COLOR="1")
    assert (done.code, "0 passed | 4 failed" in done.out) == (1, True), done.out
    first, second, third, fourth = re.split(
        r"\n\n(?=\S.* => )", done.out.partition("ERRORS")[2].partition("FAILURES")[0]
    )[1:]
    assert "it differs => ./test/failing.test.ts:3:1" in first and "'red' !== 'blue'" in first
    assert "assert.equal(integration.render('form').state.color, 'blue');" in first
    assert re.search(r"at file://\S+/test/failing.test.ts:4:12$", first)
    assert "nothing can be pressed by the name 'Nowhere'; there is 'Open', " in second
    assert re.search(r"    page.click\('Nowhere'\);\n +\^\n    at file://\S+/test/failing.test.ts:9:10\s*$", second)
    assert "ScriptFailed: form: src/index.tsx:26:" in third and "(element.props as any).missing.length" in third
    assert 'no answer is prepared: write api.answers("POST", "https://hooks.example.com/x"' in fourth
    body = shell("test", "test", "--json", "-k", "/differs|nobody/", folder=sample).json
    assert (body["ok"], body["passed"], body["failed"]) == (False, 0, 2)
    assert [test["name"] for test in body["tests"]] == [
        "test/failing.test.ts::it differs",
        "test/failing.test.ts::nobody answers",
    ]
    assert "'red' !== 'blue'" in body["tests"][0]["message"] and "failing.test.ts:4:12" in body["tests"][0]["message"]


@needs_packages
def test_what_cannot_be_run_is_reported(sample: Path, shell: Shell) -> None:
    test = sample / "verbs.test.ts"
    test.write_text(
        "import { test } from 'devkit:test';\n"
        "test('it draws', ({ integration }) => integration.render('a'));\n"
        "test('it draws again', ({ integration }) => integration.render('a'));\n"
    )
    script = sample / "src" / "index.tsx"
    script.write_text("export default {\n  fetch( {\n};\n")
    broken = shell("test", "--json", folder=sample)
    messages = [one["message"] for one in broken.json["tests"]]
    assert (broken.code, ["src/index.tsx:3:" in one for one in messages]) == (1, [True, False]), broken.out
    assert "an earlier one that failed says why" in messages[1]
    manifest = sample / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name:", "nam:"))
    wrong = shell("test", "--json", folder=sample)
    assert (wrong.code, "integration.yaml:1:1" in wrong.json["tests"][0]["message"]) == (1, True), wrong.out
    test.write_text("import { test } from 'devkit:test';\nconst = 1;\n")
    unread = shell("test", "--json", folder=sample)
    assert (unread.code, unread.json["failed"]) == (1, 1)
    assert unread.json["tests"][0]["name"] == "deno test" and "verbs.test.ts:2:7" in unread.json["tests"][0]["message"]


@needs_packages
def test_a_package_that_is_missing_is_told_with_a_fix_that_holds_here(sample: Path, shell: Shell) -> None:
    package = sample / "package.json"
    known = json.loads(package.read_text()) if package.exists() else {}
    package.write_text(json.dumps({**known, "dependencies": {**known.get("dependencies", {}), "declared": "1.0.0"}}))
    for name, fix in (
        ("declared", "error: the package 'declared' is not installed; run `npm install`"),
        ("nowhere", "error: there is no package 'nowhere'; run `npm install nowhere`, or fix its name"),
    ):
        (sample / "verbs.test.ts").write_text(
            f"import {{ test }} from 'devkit:test';\nimport {{ a }} from '{name}';\na();\n"
        )
        done = shell("test", folder=sample)
        assert done.code == 1
        lines = [line for line in done.err.splitlines() if line.strip()]
        assert [lines[0], *("verbs.test.ts:2:19" in line for line in lines[1:])] == [fix, True], done.err + done.out
        assert shell("test", "--json", folder=sample).json["tests"][0]["message"].startswith(fix)
    (sample / "verbs.test.ts").write_text("import { test } from 'devkit:test';\ntest('a', () => { throw 1; });\n")
    failed = shell("test", folder=sample)
    assert (failed.code, "FAILED" in failed.out, failed.err) == (1, True, "")


PLAIN = """\
import { assert, test } from 'devkit:test';
import { one } from '$lib/one.ts';
import { two } from './lib/two';
test('one', () => assert.equal(one, 1));
test('two', () => assert.equal(two, 2));
"""


@pytest.fixture
def plain(project: Path) -> Path:
    """A project whose tests need neither packages nor its script."""
    (project / "lib").mkdir()
    for name, value in (("one", 1), ("two", 2)):
        (project / "lib" / f"{name}.ts").write_text(f"export const {name} = {value};\n")
    (project / "deno.json").write_text('{"imports": {"$lib/": "./lib/"}}')
    (project / "plain.test.ts").write_text(PLAIN)
    (project / "other.test.ts").write_text("import { test } from 'vitest';\n")
    return project


def test_tests_in_both_languages_are_run(plain: Path, shell: Shell) -> None:
    assert shell("test", "--json", folder=plain).json["passed"] == 2
    (plain / "test_more.py").write_text("def test_three():\n    pass\n")
    names = [test["name"] for test in shell("test", "--json", folder=plain).json["tests"]]
    assert names == ["plain.test.ts::one", "plain.test.ts::two", "test_more.py::test_three"]
    assert shell("test", "--json", "-k", "three", folder=plain).json["passed"] == 1
    assert shell("test", "--json", "-k", "TWO", folder=plain).json["passed"] == 1
    none = shell("test", "-k", "nothing", folder=plain)
    assert (none.code, none.err) == (1, "error: no test matches -k nothing; leave it out to run them all\n")
    assert shell("test", "plain.test.ts", "--json", "--", "--fail-fast", folder=plain).json["passed"] == 2
    parallel = shell("test", "plain.test.ts", "--", "--parallel", folder=plain)
    assert (parallel.code, "remove --parallel" in parallel.err) == (2, True)
    for option, why in (("--bogus", "unexpected argument '--bogus' found"), ("--fail-fast=x", "invalid value 'x' for")):
        for json_too in ((), ("--json",)):
            refused = shell("test", "plain.test.ts", *json_too, "--", option, folder=plain)
            assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), refused
            assert f"refuses the options: {why}" in refused.err and "`devkit test --help`" in refused.err
    both = shell("test", "--", "-x", folder=plain)
    assert (both.code, "name a folder or a file" in both.err) == (2, True)


def test_npm_test_may_be_devkit_test(plain: Path, shell: Shell) -> None:
    (plain / "package.json").write_text('{"type": "module", "scripts": {"test": "devkit test --sandboxed"}}')
    done = shell("test", "--json", folder=plain)
    assert (done.code, done.json["passed"]) == (0, 2), done.out


def test_a_project_in_typescript_without_tests_says_what_to_write(sample: Path, shell: Shell) -> None:
    (sample / "verbs.test.ts").unlink()
    done = shell("test", folder=sample)
    assert (
        done.code,
        "write test/integration.test.ts with `import { assert, test } from 'devkit:test'" in done.err,
    ) == (
        1,
        True,
    )


def test_watched_tests_run_again_when_something_is_saved(plain: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devkit", "test", "--watch", "--json", "-k", "two"]
    process = subprocess.Popen(
        command,
        cwd=plain,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Who runs tests side by side ignores it, and what is started from there would, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["passed"] == 1
        file = plain / "lib" / "two.ts"
        file.write_text("export const two = 3;\n")
        assert json.loads(process.stdout.readline())["failed"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
