"""`devkit test`: runs a project's tests, in process and sandboxed, and says what to write where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.devkit.conftest import Shell

GREETS = """\
def test_it_greets(integration):
    page = integration.render("counter").type("Your name", "Ada").click("Greet")
    assert "Hello, Ada!" in page.text


def test_it_counts(integration, golden):
    golden(integration.render("counter").click("Click me"))
"""
FAILS = """\
def test_it_fails(integration):
    assert integration.render("counter").find("button", label="Greet")["style"] == "primary"
"""


@pytest.fixture
def tested(project: Path) -> Path:
    """The smallest sample with tests of its own."""
    (project / "test_counter.py").write_text(GREETS)
    return project


def test_golden_renders_are_written_and_then_compared(shell: Shell, tested: Path) -> None:
    first = shell("test", folder=tested)
    assert first.code == 1
    assert "there is no golden/test_it_counts.json yet" in first.out and "--update-golden" in first.out
    assert shell("test", "--update-golden", folder=tested).code == 0
    stored = tested / "golden" / "test_it_counts.json"
    assert json.loads(stored.read_text())["state"]["count"] == 1
    for more in ((), ("--sandboxed",)):
        done = shell("test", *more, folder=tested)
        assert (done.code, "2 passed" in done.out, done.err) == (0, True, ""), done.out
    stored.write_text(stored.read_text().replace("Clicked 1 time", "Clicked twice"))
    differs = shell("test", folder=tested)
    assert differs.code == 1
    assert '-          "Clicked twice"' in differs.out and '+          "Clicked 1 time"' in differs.out
    assert "Clicked twice" in stored.read_text()


def test_a_golden_render_that_cannot_be_written_is_reported(shell: Shell, tested: Path) -> None:
    (tested / "golden").write_text("a file where the folder should be")
    done = shell("test", "--update-golden", "-k", "counts", folder=tested)
    assert (done.code, "golden/test_it_counts.json cannot be written: File exists" in done.out) == (1, True), done.out


def test_nothing_is_warned_of_where_warnings_are_errors(shell: Shell, tested: Path) -> None:
    (tested / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    done = shell("test", "-k", "greets", folder=tested)
    assert (done.code, "warning" in done.out, done.err) == (0, False, ""), done.out


def test_json_reports_each_test(shell: Shell, tested: Path) -> None:
    (tested / "test_more.py").write_text(FAILS)
    done = shell("test", str(tested), "--json")
    assert done.code == 1
    body = done.json
    assert (body["ok"], body["passed"], body["failed"]) == (False, 1, 2)
    by_name = {test["name"]: test for test in body["tests"]}
    assert by_name["test_counter.py::test_it_greets"] == {
        "name": "test_counter.py::test_it_greets",
        "outcome": "passed",
    }
    assert "KeyError: 'style'" in by_name["test_more.py::test_it_fails"]["message"]
    assert done.err == ""


def test_some_tests_are_chosen(shell: Shell, tested: Path) -> None:
    assert shell("test", "-k", "greets", "--json", folder=tested).json["passed"] == 1
    assert shell("test", "test_counter.py", "-k", "greets", "--json", folder=tested).json["passed"] == 1
    assert "1 deselected" in shell("test", "--", "--deselect", "test_counter.py::test_it_counts", folder=tested).out
    none = shell("test", "-k", "nothing", folder=tested)
    assert (none.code, none.err) == (1, "error: no test matches -k nothing; leave it out to run them all\n")


def test_an_environment_of_the_manifest_is_tested(shell: Shell, tested: Path) -> None:
    with (tested / "integration.yaml").open("a") as manifest:
        manifest.write("envs:\n  staging:\n    name: counter-staging\n")
    (tested / "test_counter.py").write_text(
        'def test_it_is_the_one(integration):\n    assert integration.project.manifest.name == "counter-staging"\n'
    )
    assert shell("test", folder=tested).code == 1
    assert shell("test", "--env", "staging", folder=tested).code == 0
    assert shell("test", folder=tested, DEVKIT_ENV="staging").code == 0
    wrong = shell("test", "--env", "stagin", "--json", folder=tested)
    assert (wrong.code, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert "there is no environment `stagin`" in wrong.err and "write --env staging" in wrong.err


def test_a_project_without_tests_says_what_to_write(shell: Shell, project: Path) -> None:
    done = shell("test", "--json", folder=project)
    assert (done.code, done.out) == (1, "")
    assert "no test was found in" in done.err and "def test_it_draws(integration)" in done.err


@pytest.mark.parametrize("ci", ["", "true"])  # where pytest shows the whole of each reason in its summary
@pytest.mark.parametrize("sandboxed", [(), ("--sandboxed",)])
def test_what_is_wrong_with_the_project_is_said_once(
    shell: Shell, tested: Path, sandboxed: tuple[str, ...], ci: str
) -> None:
    (tested / "integration.py").write_text("def broken(:\n")
    done = shell("test", *sandboxed, folder=tested, CI=ci)
    assert (done.code, done.out.count("an earlier one that failed says why")) == (1, 2 if ci else 1), done.out
    told, _, summary = done.out.partition("short test summary")
    # Neither its traceback, nor that of what loads the script.
    assert told.count("SyntaxError") == 1 and summary.count("SyntaxError") <= 1
    assert "the script cannot be loaded: integration.py:1:12: SyntaxError" in told
    manifest = tested / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name:", "nam:"))
    done = shell("test", *sandboxed, folder=tested, CI=ci)
    told = done.out.partition("short test summary")[0]
    assert (done.code, told.count("integration.yaml:1:1"), "Traceback" in done.out) == (1, 1, False), done.out
    assert "All traceback entries are hidden" not in done.out


def test_what_fails_while_the_script_is_loaded_shows_its_calls(shell: Shell, tested: Path) -> None:
    (tested / "integration.py").write_text("def inner():\n    return 1 / 0\n\n\ninner()\n")
    done = shell("test", "-k", "greets", folder=tested)
    assert (done.code, "integration.py:2:12: ZeroDivisionError" in done.out) == (1, True)
    assert "integration.py:5:" in done.out and "in_process_caller.py" not in done.out


def test_bad_input_is_one_sentence(shell: Shell, tested: Path, tmp_path: Path) -> None:
    for arguments, sentence in {
        ("nowhere",): "there is no file or folder nowhere",
        (
            "--",
            "--no-such-option",
        ): "refuses the options: unrecognized arguments: --no-such-option; `devkit test --help`",
        ("--maxfail=x",): "refuses the options: argument --maxfail: invalid int value: 'x'; `devkit test --help`",
        ("--json", "--", "--no-such-option"): "unrecognized arguments: --no-such-option",
    }.items():
        done = shell("test", *arguments, folder=tested)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert (sentence in done.err, "pytest.main" in done.err) == (True, False)
    outside = shell("test", folder=tmp_path)
    assert (outside.code, "no integration.yaml" in outside.err) == (1, True)


def test_a_file_of_tests_that_cannot_be_loaded_fails(shell: Shell, tested: Path) -> None:
    (tested / "test_broken.py").write_text("def test_broken(:\n")
    done = shell("test", folder=tested)
    assert (done.code, "SyntaxError" in done.out, "1 error during collection" in done.out) == (1, True, True), done.out
    done = shell("test", "--json", folder=tested)
    assert (done.code, [test["name"] for test in done.json["tests"]]) == (1, ["test_broken.py"])
    (tested / "test_broken.py").unlink()
    (tested / "conftest.py").write_text("1 / 0\n")
    done = shell("test", folder=tested)
    assert (done.code, "ZeroDivisionError" in done.err, "conftest.py:1" in done.err) == (1, True, True), done.err
    done = shell("test", "--json", folder=tested)
    assert (done.code, "ZeroDivisionError" in done.err, done.err.count("\n")) == (1, True, 1)


def test_what_is_said_at_the_end_is_shown(shell: Shell, tested: Path) -> None:
    said = "import sys\n\n\ndef pytest_unconfigure():\n    print('of the end', file=sys.stderr)\n"
    (tested / "conftest.py").write_text(said)
    done = shell("test", "-k", "greets", folder=tested)
    assert (done.code, done.err) == (0, "of the end\n")


def test_tests_in_javascript_are_run_by_their_own_script(shell: Shell, tested: Path, tmp_path: Path) -> None:
    package = tested / "package.json"
    package.write_text('{"scripts": {"test": "echo from the script"}}')
    missing = shell("test", folder=tested)
    assert (missing.code, "npm install" in missing.err) == (1, True)
    (tested / "node_modules").mkdir()
    without = shell("test", folder=tested, PATH=str(tmp_path))
    assert (without.code, "is not installed; install Node.js" in without.err) == (1, True)
    (tmp_path / "npm").write_text('#!/bin/sh\n[ "$1" = test ] && echo "from the script"\nexit "$NPM_CODE"\n')
    (tmp_path / "npm").chmod(0o755)
    environment_variables = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    shell("test", "--update-golden", folder=tested, NPM_CODE="0", **environment_variables)
    good = shell("test", "--json", folder=tested, NPM_CODE="0", **environment_variables)
    assert (good.code, good.json["passed"]) == (0, 3)
    assert good.json["tests"][0] == {"name": "npm test", "outcome": "passed"}
    bad = shell("test", "--json", folder=tested, NPM_CODE="3", **environment_variables)
    assert (bad.code, bad.json["failed"]) == (1, 1)
    assert "from the script" in bad.json["tests"][0]["message"]
    (tmp_path / "npm").write_text('#!/bin/sh\necho "$@"\n')
    for file in tested.glob("test_*.py"):
        file.unlink()
    passed_on = shell("test", "--", "--grep", "draws", folder=tested, **environment_variables)
    assert (passed_on.code, passed_on.out) == (0, "test --silent -- --grep draws\n")
    package.write_text("{")
    assert "package.json cannot be read" in shell("test", folder=tested).err


def test_golden_renders_are_not_rewritten_by_watching(shell: Shell, tested: Path) -> None:
    done = shell("test", "--watch", "--update-golden", folder=tested)
    assert (done.code, "remove --update-golden" in done.err) == (2, True)


def test_a_project_inside_another_is_tested_by_itself(shell: Shell, tested: Path) -> None:
    assert shell("new", "inner", "--template", "block", folder=tested).code == 0
    (tested / "inner" / "test_counter.py").write_text("def test_of_inner():\n    pass\n")
    done = shell("test", "-k", "greets or of_inner", folder=tested)
    assert (done.code, "1 passed" in done.out) == (0, True), done.out
    done = shell("test", "-k", "of_inner", folder=tested / "inner")
    assert (done.code, "1 passed" in done.out) == (0, True), done.out


def test_a_folder_without_a_project_is_reported_as_by_other_commands(shell: Shell, tmp_path: Path) -> None:
    done = shell("test", folder=tmp_path)
    hint = "go to a project's folder, give its path, or create one with `devkit new NAME`"
    assert done.err == f"error: no integration.yaml or gitbook-manifest.yaml in {tmp_path}; {hint}\n"
