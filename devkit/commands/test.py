"""`devkit test`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from devkit.projects.environments import env_option
from devkit.terminal.output import Mistake, Problem, json_option, say
from devkit.testing import files as test_files
from devkit.testing.project_tests import ProjectTests

IN_PYTHON = (
    "write test_integration.py with `def test_it_draws(integration): "
    'assert "..." in integration.render("COMPONENT").text`'
)
IN_TYPESCRIPT = (
    "write test/integration.test.ts with `import { assert, test } from 'devkit:test'; test('it draws', "
    "({ integration }) => assert.match(integration.render('COMPONENT').text, /.../));`"
)


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
    of package.json. Options after `--` are passed to pytest, `deno test` or npm. Exits with 1 if a test failed.

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
        _watch(folder, place, more, sandboxed, expression, env, as_json)
        return
    tests = ProjectTests(folder, place, env, expression, sandboxed, update_golden, as_json, more)
    tests.run()
    if not tests.found:
        raise Problem(_what_to_write(folder, place) if expression is None else _none(expression))
    if as_json:
        failed = [outcome for outcome in tests.outcomes if outcome["outcome"] == "failed"]
        passed = sum(outcome["outcome"] == "passed" for outcome in tests.outcomes)
        say(json.dumps({"ok": tests.code == 0, "passed": passed, "failed": len(failed), "tests": tests.outcomes}))
    ctx.exit(tests.code)


def _watch(
    folder: Path,
    place: Path,
    options: tuple[str, ...],
    sandboxed: bool,
    expression: str | None,
    env: str | None,
    as_json: bool,
) -> None:
    from devkit.testing.watching import run_on_change

    again = ["--sandboxed"] * sandboxed + ["--json"] * as_json + (["--env", env] if env is not None else [])
    again += ["-k", expression] if expression is not None else []
    run_on_change(folder, [*again, str(place), "--", *options])


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
