"""`devkit test`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from devkit.projects.environments import env_option
from devkit.terminal.output import Mistake, Problem, json_option, say
from devkit.testing import files as test_files
from devkit.testing import python_tests

IN_PYTHON = (
    "write test_integration.py with `def test_it_draws(integration): "
    'assert "..." in integration.render("COMPONENT").text`'
)
IN_TYPESCRIPT = (
    "write test/integration.test.ts with `import { assert, test } from 'devkit:test'; test('it draws', "
    "({ integration }) => assert.match(integration.render('COMPONENT').text, /.../));`"
)
CALLS_US = re.compile(r"\bdevkit\s+test\b")


@click.command("test", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PATH] [-- OPTIONS]")
@click.option("--sandboxed", is_flag=True, help="Run the script in the engine that will serve it.")
@click.option("--update-golden", is_flag=True, help="Rewrite the golden renders.")
@click.option(
    "-k", "expression", metavar="EXPR", help="Only tests whose names contain it; or a pytest expression, or /PATTERN/."
)
@click.option("--watch", is_flag=True, help="Run again whenever a file of the project is saved, until Ctrl-C.")
@click.option("--types", is_flag=True, help="Print the types of `devkit:test`, for a file devkit-test.d.ts.")
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    arguments: tuple[str, ...],
    sandboxed: bool,
    update_golden: bool,
    expression: str | None,
    watch: bool,
    types: bool,
    env: str | None,
    as_json: bool,
) -> None:
    """Run the tests of the project in PATH (default: this folder).

    Tests in Python get the fixtures `integration`, `api`, `clock` and `golden`; those in TypeScript and JavaScript
    (`*.test.ts`) import `test` from `devkit:test`, and get the same ones. Other tests are run by the `test` script
    of package.json. Options after `--` are passed to pytest or to `deno test`. Exits with 1 if a test failed.

    Examples: devkit test --sandboxed
              devkit test --watch
              devkit test ./my-integration -k greets
              devkit test -- -x --durations=5
              devkit test test/card.test.ts -- --fail-fast
    """
    if types:
        say(test_files.TYPES.read_text(encoding="utf-8").rstrip("\n"))
        return
    # What follows "--" is pytest's, also where no path comes before it.
    path = arguments[0] if arguments and not arguments[0].startswith("-") else None
    more = arguments[1:] if path is not None else arguments
    place = Path(path or ".").resolve()
    if not place.exists():
        raise Mistake(f"there is no file or folder {path}")
    folder = _project_folder(place)
    if env is not None:
        _refuse_unknown(folder, env)
    if watch:
        if update_golden:
            raise Mistake("--watch would rewrite golden renders on every change", hint="remove --update-golden")
        from devkit.testing.watching import run_on_change

        again = ["--sandboxed"] * sandboxed + ["--json"] * as_json + (["--env", env] if env is not None else [])
        again += ["-k", expression] if expression is not None else []
        run_on_change(folder, [*again, str(place), "--", *more])
        return
    outcomes: list[dict[str, Any]] = []
    files = test_files.in_typescript(place)
    if place.is_file() and not files and place.suffix != ".py":
        raise Mistake(f"{path} is not a file of tests", hint="name a folder, or a file such as test_integration.py")
    in_python = test_files.in_python(place) if place.is_dir() else not files
    if sandboxed or files:  # those in TypeScript run the script in its engine always
        from devkit.offline.confinement import warn_without
        from runtime.engines.sandbox import authors_mode

        warn_without(authors_mode(None))
    if files and in_python and more:
        raise Mistake(
            "there are tests for both pytest and Deno",
            hint="name a folder or a file, so that only one of them gets the options",
        )
    script = _test_script(folder) if expression is None and place.is_dir() else None
    code, found = 0, script is not None
    if script is not None:
        code = _run_script(folder, script, env, as_json, outcomes)
    if files:
        from devkit.testing import deno_tests

        tests = deno_tests.Tests(folder, env=env, update_golden=update_golden)
        ran = tests.run(files, expression, [] if in_python else list(more), quiet=as_json)
        code, found = code or ran.code, found or bool(ran.outcomes) or expression is None
        outcomes += ran.outcomes
    if in_python or not (files or script):
        options = ["--sandboxed"] * sandboxed + ["--update-golden"] * update_golden
        options += ["--devkit-env", env] if env is not None else []
        options += ["-k", expression] if expression is not None else []
        ended = python_tests.run(place, folder, [*options, *more], as_json, outcomes)
        code, found = code or ended or 0, found or ended is not None
    if not found:
        raise Problem(_what_to_write(folder, place) if expression is None else _none(expression))
    if as_json:
        failed = [outcome for outcome in outcomes if outcome["outcome"] == "failed"]
        passed = sum(outcome["outcome"] == "passed" for outcome in outcomes)
        say(json.dumps({"ok": code == 0, "passed": passed, "failed": len(failed), "tests": outcomes}))
    ctx.exit(code)


def _refuse_unknown(folder: Path, env: str) -> None:
    """Raise Problem for an environment the manifest does not have: once, and not for every test."""
    from devkit.manifests import reading
    from devkit.projects import environments
    from devkit.projects.project import find_folder

    environments.chosen(reading.read(find_folder(str(folder))[1]), env)


def _what_to_write(folder: Path, place: Path) -> str:
    """Return a hint for a project without tests on how to write one, in the language of its script."""
    from devkit.projects import project as projects

    try:
        in_python = projects.load(str(folder)).script.suffix == ".py"
    except Problem:  # of the manifest, which is not what was asked for
        in_python = True
    return f"no test was found in {place}; {IN_PYTHON if in_python else IN_TYPESCRIPT}"


def _none(expression: str) -> str:
    return f"no test matches -k {expression}; leave it out to run them all"


def _project_folder(place: Path) -> Path:
    """Find the folder with the manifest, at a path or above it; raises Problem."""
    from runtime.contract.manifest_files import FILES

    start = place if place.is_dir() else place.parent
    for folder in (start, *start.parents):
        if test_files.is_project(folder):
            return folder
    names = " or ".join(FILES[:2])
    raise Problem(
        f"no {names} in {start}", hint="go to a project's folder, give its path, or create one with `devkit new NAME`"
    )


def _test_script(folder: Path) -> list[str] | None:
    """Return the command that runs the tests of a project in JavaScript; None for one without."""
    file = folder / "package.json"
    if not file.is_file():
        return None
    try:
        written = json.loads(file.read_text(encoding="utf-8")).get("scripts", {}).get("test")
    except (OSError, ValueError, AttributeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from None
    # `npm test` may well be a way to run `devkit test`.
    return ["npm", "test", "--silent"] if isinstance(written, str) and not CALLS_US.search(written) else None


def _run_script(folder: Path, script: list[str], env: str | None, as_json: bool, outcomes: list[dict[str, Any]]) -> int:
    """Run the JavaScript tests; their output is passed on, or discarded with JSON. Raises Problem."""
    program = shutil.which(script[0])
    if program is None:
        raise Problem("npm, which runs the tests of this project, is not installed", hint="install Node.js")
    if not (folder / "node_modules").is_dir():
        raise Problem(f"the packages of {folder.name} are not installed", hint=f"run `npm install` in {folder}")
    sys.stdout.flush()
    quiet = subprocess.PIPE if as_json else None
    known = os.environ if env is None else os.environ | {"DEVKIT_ENV": env}
    done = subprocess.run(
        [program, *script[1:]], cwd=folder, env=known, stdout=quiet, stderr=subprocess.STDOUT if as_json else None
    )
    output = (done.stdout or b"").decode("utf-8", "replace")
    outcomes.append(
        python_tests.outcome_of(
            "npm test", "failed" if done.returncode else "passed", output if done.returncode else ""
        )
    )
    return done.returncode and 1
