"""Runs all tests of a project, in whatever language they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devkit.terminal.output import Mistake
from devkit.testing import files, npm_script, python_tests


@dataclass(slots=True)
class ProjectTests:
    """The tests of a project in a folder or a file, `place`, and how they ended; `options` go to what runs them.

    `code` is 0 or 1, and `found` whether there was any test.
    """

    folder: Path
    place: Path
    env: str | None
    expression: str | None
    sandboxed: bool
    update_golden: bool
    as_json: bool
    options: tuple[str, ...]
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    code: int = 0
    found: bool = False

    def run(self) -> None:
        """Run them; raises Mistake for a file of other things, or options that are for one of several, and Problem."""
        in_typescript = files.in_typescript(self.place)
        if self.place.is_file() and not in_typescript and self.place.suffix != ".py":
            raise Mistake(
                f"{self.place.name} is not a file of tests", hint="name a folder, or a file such as test_integration.py"
            )
        in_python = files.in_python(self.place) if self.place.is_dir() else not in_typescript
        by_npm = self.expression is None and self.place.is_dir() and npm_script.there(self.folder)
        if in_typescript and in_python and self.options:
            raise Mistake(
                "there are tests for both pytest and Deno",
                hint="name a folder or a file, so that only one of them gets the options",
            )
        if self.sandboxed or in_typescript:  # those in TypeScript run the script in its engine always
            _warn_without_sandbox()
        if by_npm:
            self._run_npm(() if in_python or in_typescript else self.options)
        if in_typescript:
            self._run_deno(in_typescript, () if in_python else self.options)
        if in_python or not (in_typescript or by_npm):
            self._run_pytest()

    def _run_npm(self, options: tuple[str, ...]) -> None:
        self.code |= npm_script.run(self.folder, self.env, options, self.as_json, self.outcomes)
        self.found = True

    def _run_deno(self, paths: list[Path], options: tuple[str, ...]) -> None:
        from devkit.testing import deno_tests

        tests = deno_tests.Tests(self.folder, env=self.env, update_golden=self.update_golden)
        ran = tests.run(paths, self.expression, list(options), quiet=self.as_json)
        self.code |= ran.code
        self.found = self.found or bool(ran.outcomes) or self.expression is None
        self.outcomes += ran.outcomes

    def _run_pytest(self) -> None:
        options = ["--sandboxed"] * self.sandboxed + ["--update-golden"] * self.update_golden
        options += ["--devkit-env", self.env] if self.env is not None else []
        options += ["-k", self.expression] if self.expression is not None else []
        ended = python_tests.run(self.place, self.folder, [*options, *self.options], self.as_json, self.outcomes)
        self.code |= ended or 0
        self.found = self.found or ended is not None


def _warn_without_sandbox() -> None:
    from devkit.offline.confinement import warn_without
    from runtime.engines.sandbox import authors_mode

    warn_without(authors_mode(None))
