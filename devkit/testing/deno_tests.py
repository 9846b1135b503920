"""Runs the tests of a project that are written in TypeScript or JavaScript, with the Deno that runs its script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import deno

from devkit.build.source_positions import relative
from devkit.projects import project as projects
from devkit.terminal.output import Mistake, Problem
from devkit.testing.deno_messages import passed_on, refusal, reworded
from devkit.testing.faults import AGAIN
from devkit.testing.files import FOLDER
from devkit.testing.golden import Golden
from devkit.testing.in_engine_caller import Engine
from devkit.testing.json_lines import Line
from devkit.testing.verbs import Session

OPTIONS = (
    "--no-check",  # types are for editors, and for the compiler of the project
    "--allow-all",
    "--no-lock",
    "--node-modules-dir=manual",
    "--unstable-sloppy-imports",  # as in sources that are bundled: `../src/parse`
)
REFUSED = {
    "--parallel": "tests share the engine of the project and run one after the other; remove --parallel",
    "--watch": "Deno does not see changes of the script; use `devkit test --watch`",
}
"""Option of `deno test` -> why it cannot be used here."""
HINT = "`devkit test --help` shows the options of `devkit test`; what follows `--` is for `deno test`"


@dataclass(frozen=True, slots=True)
class Ran:
    """How tests ended: the exit code, and the outcome of each."""

    code: int
    outcomes: list[dict[str, Any]]


class Tests:
    """The tests of one project, and its engine: started for the first test, with a fresh process for each."""

    def __init__(self, folder: Path, *, env: str | None = None, update_golden: bool = False) -> None:
        self._folder, self._env, self._update = folder, env, update_golden
        self._line = Line()
        self._engine: Engine | None = None
        self._tried = False
        self._session: Session | None = None
        self._name = ""
        self._outcomes: list[dict[str, Any]] = []

    def run(self, files: list[Path], expression: str | None, options: list[str], *, quiet: bool) -> Ran:
        """Run test files; of their tests those whose names hold `expression`, or match it as `/pattern/`.

        Raises Mistake for an option that cannot be used, by Deno or here.
        """
        for option in options:
            if option in REFUSED:
                raise Mistake(REFUSED[option])
        refusals: list[str] = []
        with ExitStack() as opened:
            opened.callback(self._end)
            written = opened.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
            process = subprocess.Popen(
                [*_command(expression), *options, *map(str, files)],
                cwd=self._folder,
                env=self._environment(quiet),
                stdin=subprocess.DEVNULL,
                stdout=written if quiet else None,
                stderr=subprocess.STDOUT if quiet else subprocess.PIPE,
                pass_fds=self._line.theirs,
                text=True,
                errors="replace",
            )
            opened.enter_context(process)
            if process.stderr is not None:
                opened.callback(passed_on(process.stderr, self._folder, refusals).join)
            opened.callback(self._line.close)  # before the process is waited for: without its line it ends
            self._line.hand_over()
            self._line.serve(self._answer)
            code = int(process.wait() != 0)
            written.seek(0)
            text = written.read()
            if quiet and code and (why := refusal(text.partition("\n")[0])) is not None:
                refusals.append(why)
            message = "".join(reworded(text.splitlines(keepends=True), self._folder)).strip()
            if code and all(outcome["outcome"] == "passed" for outcome in self._outcomes):  # a file could not be loaded
                self._outcomes.append({"name": "deno test", "outcome": "failed", "message": message})
        if refusals:
            raise Mistake(f"Deno, which runs these tests, refuses the options: {refusals[0]}", hint=HINT)
        return Ran(code, self._outcomes)

    def _environment(self, quiet: bool) -> dict[str, str]:
        """Return what Deno is started with: where its line is, and no word about the inside of Deno."""
        there, here = map(str, self._line.theirs)
        known = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
        known |= {"DENO_NO_UPDATE_CHECK": "1", "DEVKIT_TEST_OUT": there, "DEVKIT_TEST_IN": here}
        known |= {"NO_COLOR": "1"} if quiet or not sys.stdout.isatty() else {}
        return known | ({"DEVKIT_ENV": self._env} if self._env is not None else {})

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
        if self._engine is not None:
            self._engine.close()

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do what the process with the tests asks for."""
        if message["verb"] == "begin":
            self._begin(**message["with"])
            return {}
        assert self._session is not None
        if message["verb"] == "end":
            self._session.close()
            self._session = None
            self._outcomes.append({"name": self._name, **message["with"]})
            return {}
        return self._session.answer(message)

    def _begin(self, file: str, name: str) -> None:
        test = Path(unquote(urlsplit(file).path))
        self._name = f"{relative(test, self._folder)}::{name}"
        self._session = Session(self._started, Golden(test, name, self._update), self._line.ask)

    def _started(self) -> Engine:
        """Return the engine; raises Problem or ScriptFailed where there can be none, with the reason the first time."""
        if self._engine is None:
            if self._tried:
                raise Problem(AGAIN)
            self._tried = True
            env = self._env or os.environ.get("DEVKIT_ENV") or None
            self._engine = Engine(projects.load(str(self._folder), env))
        return self._engine


def _command(expression: str | None) -> list[str]:
    command = [deno.find_deno_bin(), "test", *OPTIONS, f"--preload={FOLDER / 'preload.mjs'}"]
    if expression is None:
        return command
    is_pattern = len(expression) > 2 and expression.startswith("/") and expression.endswith("/")
    return [*command, f"--filter={expression if is_pattern else f'/(?i){re.escape(expression)}/'}"]
