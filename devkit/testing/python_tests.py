"""Runs the tests of a project that are written in Python: pytest, in this process."""

from __future__ import annotations

import contextlib
import gc
import io
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pluggy

from devkit.terminal.output import Mistake, Problem
from devkit.testing import files as test_files

USAGE_ERROR, NO_TESTS_COLLECTED = 4, 5
"""How pytest ends, as in its `ExitCode`, which takes a moment to import."""
IMPORTED_BEFORE = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""The warning of pytest about a plugin whose package was imported before it could rewrite asserts: ours always was."""
REFUSED = re.compile(r"^(?:pytest\.main\(\): error|ERROR): (?!usage: )(?P<why>.+)", re.MULTILINE)
"""What pytest says of options that it cannot use; a `conftest.py` that cannot be imported it tells in other words."""
HINT = "`devkit test --help` shows the options of `devkit test`; what follows `--` is for pytest"


def outcome_of(name: str, outcome: str, message: str = "") -> dict[str, Any]:
    """Write down how a test ended."""
    return {"name": name, "outcome": outcome} | ({"message": message} if message else {})


def run(place: Path, folder: Path, options: list[str], as_json: bool, outcomes: list[dict[str, Any]]) -> int | None:
    """Run pytest, without its own output with JSON; returns 0 or 1, or None where no test was found.

    Raises Mistake for options that pytest refuses, and KeyboardInterrupt again.
    """
    import pytest

    from devkit.testing import plugin

    gc.freeze()  # pytest looks through all objects for garbage in the end; these stay
    errors = io.StringIO()
    collected = _Outcomes(outcomes, place, folder, errors, sys.stderr if not as_json else errors)
    # The script's own folder is where a test may import from; caches of pytest are nothing a project should hold.
    arguments = [str(place), f"--rootdir={folder}", "-q", "-p", "no:cacheprovider", "-W", IMPORTED_BEFORE, *options]
    # What pytest says before and after its session is kept back until it is known whether it refuses the options.
    with contextlib.redirect_stderr(errors), contextlib.ExitStack() as quiet:
        if as_json:
            quiet.enter_context(contextlib.redirect_stdout(errors))
        code = int(pytest.main(arguments, plugins=[plugin, collected]))
    if collected.interrupted:
        raise KeyboardInterrupt
    said = errors.getvalue()
    if code == USAGE_ERROR:
        refused = REFUSED.search(said)
        if refused is not None:
            raise Mistake(f"pytest, which runs these tests, refuses the options: {refused['why']}", hint=HINT)
        lines = [line for line in said.splitlines() if line.strip()]
        if as_json:
            raise Problem(f"pytest could not run: {lines[-1] if lines else 'it gave no reason'}")
    if not as_json:
        sys.stderr.write(said)
    return None if code == NO_TESTS_COLLECTED else int(code != 0)


class _Outcomes:
    """Records the result of each test; those of other projects inside the folder of this one are left out."""

    def __init__(
        self, outcomes: list[dict[str, Any]], place: Path, folder: Path, kept: io.StringIO, shown: Any
    ) -> None:
        self._outcomes, self._place, self._folder = outcomes, place.resolve(), folder.resolve()
        self._kept, self._shown = kept, shown
        self.interrupted = False

    @pluggy.HookimplMarker("pytest")(wrapper=True)
    def pytest_cmdline_main(self) -> Generator[None, Any, Any]:
        # The options are known to be right: what is said from here on is shown at once.
        if self._shown is not self._kept:
            self._shown.write(self._kept.getvalue())
            self._kept.truncate(self._kept.seek(0))
        with contextlib.redirect_stderr(self._shown):
            return (yield)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        inner = collection_path.resolve()
        if inner == self._folder or inner in (self._place, *self._place.parents) or not inner.is_dir():
            return None
        return True if test_files.is_project(inner) else None

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            text = report.longreprtext if report.failed else ""
            self._outcomes.append(outcome_of(report.nodeid, report.outcome, text))

    def pytest_sessionfinish(self, session: Any) -> None:
        # Its plugin imports all of hypothesis to say in the end that nothing was said: half a second for nothing.
        if "hypothesis" not in sys.modules:
            session.config.pluginmanager.unregister(name="hypothesispytest")

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        # Not what pytest itself ends a session with, after errors in files of tests. Whoever has pressed Ctrl-C knows;
        # a traceback of where pytest just was is of no use.
        self.interrupted = excinfo.type is KeyboardInterrupt

    def pytest_sessionstart(self, session: Any) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            tell = reporter._report_keyboardinterrupt
            reporter._report_keyboardinterrupt = lambda: (
                reporter.write_sep("!", "interrupted") if self.interrupted else tell()
            )

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._outcomes.append(outcome_of(report.nodeid, "failed", report.longreprtext))
