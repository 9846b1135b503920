"""`devkit test`."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from devkit.projects.environments import env_option
from devkit.terminal.output import Problem, json_option, say

EMPTY, MISUSED = 5, 4
"""How pytest ends when it found no test, and when it could not read what it was called with."""
SKIPPED_FOLDERS = {"node_modules", "golden", "__pycache__"}
WHAT_TO_WRITE = (
    "write test_integration.py with `def test_it_draws(integration): "
    'assert "..." in integration.render("COMPONENT").text`'
)


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PATH] [-- PYTEST_OPTIONS]")
@click.option("--sandboxed", is_flag=True, help="Run the script in the engine that will serve it.")
@click.option("--update-golden", is_flag=True, help="Rewrite the golden renders.")
@click.option("-k", "expression", metavar="EXPR", help="Only tests whose names match, as pytest's own -k.")
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    arguments: tuple[str, ...],
    sandboxed: bool,
    update_golden: bool,
    expression: str | None,
    env: str | None,
    as_json: bool,
) -> None:
    """Run the tests of the project in PATH (this folder).

    Tests in Python get the fixtures `integration`, `api`, `clock` and `golden`; those in JavaScript are run by
    the `test` script of package.json. Exits as pytest does: 0 when all passed, 1 when one failed.

    Examples: devkit test --sandboxed
              devkit test ./my-integration -k greets
              devkit test -- -x --durations=5
    """
    # What follows "--" is pytest's, also where no path comes before it.
    path = arguments[0] if arguments and not arguments[0].startswith("-") else None
    more = arguments[1:] if path is not None else arguments
    place = Path(path or ".").resolve()
    if not place.exists():
        raise Problem(f"there is no folder {path}")
    folder = _project_folder(place)
    if env is not None:
        _refuse_unknown(folder, env)
    if sandboxed:
        from devkit.offline.confinement import warn_without
        from runtime.engines.sandbox import authors_mode

        warn_without(authors_mode(None))
    outcomes: list[dict[str, Any]] = []
    script = _test_script(folder)
    ran_script = script is not None and expression is None and place.is_dir()
    code = 0
    if ran_script and script is not None:
        code = _run_script(folder, script, env, as_json, outcomes)
    if not ran_script or _python_tests(folder):
        options = ["--sandboxed"] * sandboxed + ["--update-golden"] * update_golden
        options += ["--devkit-env", env] if env is not None else []
        options += ["-k", expression] if expression is not None else []
        exit_code = _run_pytest(place, folder, [*options, *more], as_json, outcomes)
        if exit_code == EMPTY:
            raise Problem(f"no test was found in {place}; {WHAT_TO_WRITE}" if expression is None else _none(expression))
        code = code or exit_code
    if as_json:
        failed = [outcome for outcome in outcomes if outcome["outcome"] == "failed"]
        passed = sum(outcome["outcome"] == "passed" for outcome in outcomes)
        say(json.dumps({"ok": code == 0, "passed": passed, "failed": len(failed), "tests": outcomes}))
    ctx.exit(code)


def _refuse_unknown(folder: Path, env: str) -> None:
    """Raise Problem for an environment the manifest does not have: once, and not for every test."""
    from devkit.checking import manifest_text
    from devkit.projects import environments
    from devkit.projects.project import find_folder

    environments.chosen(manifest_text.read(find_folder(str(folder))[1]), env)


def _none(expression: str) -> str:
    return f"no test matches -k {expression}; leave it out to run them all"


def _project_folder(place: Path) -> Path:
    """Find the folder with the manifest, at a path or above it; raises Problem."""
    # Not devkit.projects.project, which reads manifests: pytest reports tests that do not fit their manifest.
    from runtime.contract.manifest_files import FILES

    start = place if place.is_dir() else place.parent
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in FILES):
            return folder
    raise Problem(f"no {FILES[0]} in {start}; go to a project's folder, or name it")


def _python_tests(folder: Path) -> bool:
    """Tell whether there is a file that pytest would look into."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        if any(name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")) for name in files):
            return place is not None
    return False


def _test_script(folder: Path) -> list[str] | None:
    """Give the command that runs the tests of a project in JavaScript; None for one without."""
    file = folder / "package.json"
    if not file.is_file():
        return None
    try:
        scripts = json.loads(file.read_text(encoding="utf-8")).get("scripts", {})
        there = isinstance(scripts.get("test"), str)
    except (OSError, ValueError, AttributeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from None
    return ["npm", "test", "--silent"] if there else None


def _run_script(folder: Path, script: list[str], env: str | None, as_json: bool, outcomes: list[dict[str, Any]]) -> int:
    """Run the tests in JavaScript; their output goes to where ours does, or nowhere with JSON. Raises Problem."""
    program = shutil.which(script[0])
    if program is None:
        raise Problem("npm is not installed, which runs the tests of this project; install Node.js")
    if not (folder / "node_modules").is_dir():
        raise Problem(f"the packages of {folder.name} are not installed; run `npm install` in {folder}")
    sys.stdout.flush()
    quiet = subprocess.PIPE if as_json else None
    known = os.environ if env is None else os.environ | {"DEVKIT_ENV": env}
    done = subprocess.run(
        [program, *script[1:]], cwd=folder, env=known, stdout=quiet, stderr=subprocess.STDOUT if as_json else None
    )
    output = (done.stdout or b"").decode("utf-8", "replace")
    outcomes.append(_outcome("npm test", "failed" if done.returncode else "passed", output if done.returncode else ""))
    return done.returncode and 1


def _outcome(name: str, outcome: str, message: str = "") -> dict[str, Any]:
    return {"name": name, "outcome": outcome} | ({"message": message} if message else {})


def _run_pytest(place: Path, folder: Path, options: list[str], as_json: bool, outcomes: list[dict[str, Any]]) -> int:
    """Run pytest in this process; with JSON it says nothing by itself. Gives its exit code."""
    import pytest

    from devkit.testing import plugin

    gc.freeze()  # pytest looks through all objects for garbage in the end; these stay
    collected = _Outcomes(outcomes)
    # The script's own folder is where a test may import from; caches of pytest are nothing a project should hold.
    arguments = [str(place), f"--rootdir={folder}", "-q", "-p", "no:cacheprovider", *options]
    if not as_json:
        return int(pytest.main(arguments, plugins=[plugin, collected]))
    report = io.StringIO()
    with contextlib.redirect_stdout(report), contextlib.redirect_stderr(report):
        code = int(pytest.main(arguments, plugins=[plugin, collected]))
    if code == MISUSED:
        lines = [line for line in report.getvalue().splitlines() if line.strip()]
        raise Problem(f"pytest could not run: {lines[-1] if lines else 'it gave no reason'}")
    return code


class _Outcomes:
    """Notes how each test ended."""

    def __init__(self, outcomes: list[dict[str, Any]]) -> None:
        self._outcomes = outcomes

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._outcomes.append(_outcome(report.nodeid, report.outcome, report.longreprtext if report.failed else ""))

    def pytest_sessionfinish(self, session: Any) -> None:
        # Its plugin imports all of hypothesis to say in the end that nothing was said: half a second for nothing.
        if "hypothesis" not in sys.modules:
            session.config.pluginmanager.unregister(name="hypothesispytest")

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._outcomes.append(_outcome(report.nodeid, "failed", report.longreprtext))
