"""A project's script in the process of its tests: reloaded for each, called as its engine calls it."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from devkit.build.source_positions import relative, source_line
from devkit.testing.caller import Ended
from devkit.testing.fake_api import FakeApi
from devkit.testing.faults import NotLoaded
from devkit.testing.intercepting import intercepted
from devkit.testing.limits import TimeLimitExceeded, limited
from runtime.contract.invocation import Limits, LogLevel, LogLine, ScriptFault
from runtime.engines.python_process.child.load import sentence_of
from runtime.sdk.answering import RawAnswer, RawCall, answer, find_integration
from runtime.sdk.integration import Integration

__tracebackhide__ = True  # a failed test shows its own lines, and the script's

LIMITS = Limits()
MODULE = "integration"
"""The name under which a script's own modules import it, as in its engine."""


class InProcess:
    """Runs a script in this process. A context manager: what the script imported of its own is forgotten at the end."""

    def __init__(self, script: Path, folder: Path) -> None:
        self._script, self._folder = script, folder
        self._integration: Integration | None = None
        self._module = types.ModuleType(MODULE)

    def __enter__(self) -> InProcess:
        self._before = dict(sys.modules)
        self._path = list(sys.path)
        return self

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._path
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name not in self._before and file and Path(file).is_relative_to(self._script.parent):
                del sys.modules[name]
        if MODULE in self._before:
            sys.modules[MODULE] = self._before[MODULE]
        else:
            sys.modules.pop(MODULE, None)

    @property
    def module(self) -> types.ModuleType:
        """The script as a module; raises NotLoaded where it cannot be."""
        self._loaded()
        return self._module

    def call(self, event: Mapping[str, Any], environment: Mapping[str, Any], body: bytes | None, api: FakeApi) -> Ended:
        """Send an event, and run what the script put off until after its answer."""
        integration = self._loaded()
        lines: list[LogLine] = []

        def log(level: str, message: str) -> None:
            lines.append(LogLine(time.time(), _level(level), str(message)))

        raw = RawCall(json.dumps(event).encode(), json.dumps(environment).encode(), body, log)
        with intercepted(api), _heard(lines):
            try:
                with limited(LIMITS):
                    raw_answer = answer(integration, raw)
            except TimeLimitExceeded as over:  # between two lines of the script
                raw_answer = RawAnswer(500, [], b"", [], over)
            content, error = b"", raw_answer.error
            try:
                content = raw_answer.body if isinstance(raw_answer.body, bytes) else b"".join(raw_answer.body)
                for work in raw_answer.deferred:
                    work()
            except Exception as late:
                error = late
        fault = None if error is None else self._fault(error)
        if error is not None and fault is not None:
            error.with_traceback(self._from_own(error.__traceback__))
            lines.append(LogLine(time.time(), "error", fault.message))
        return Ended(raw_answer.status, raw_answer.headers, content, lines, fault, error)

    def _loaded(self) -> Integration:
        if self._integration is None:
            file = self._script
            sys.path.insert(0, str(file.parent))
            self._module.__file__ = str(file)
            sys.modules[MODULE] = self._module
            try:
                # Compiled from the file as it is, so that breakpoints, coverage and tracebacks are the author's.
                code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
                with limited(LIMITS):
                    exec(code, self._module.__dict__)
                self._integration = find_integration(vars(self._module))
            except (Exception, SystemExit) as error:
                error.with_traceback(trace := self._from_own(error.__traceback__))
                # Of a syntax error no line has run: all that the traceback has is what loads the script.
                cause = error if trace is not None and self._own(trace.tb_frame.f_code.co_filename) else None
                raise NotLoaded(self._fault(error)) from cause
        return self._integration

    def _fault(self, error: BaseException) -> ScriptFault:
        """Find the author's line that an exception came from."""
        message = sentence_of(error)
        if isinstance(error, SyntaxError) and error.filename:
            name = relative(Path(error.filename), self._folder)
            return ScriptFault(message, name, error.lineno, error.offset, (error.text or "").rstrip("\n"))
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if self._own(frame.filename)]
        if not frames:
            return ScriptFault(message, relative(self._script, self._folder))
        last = frames[-1]
        file, line = Path(last.filename), last.lineno or 1
        source = source_line(self._folder, file, line)
        column = None if last.colno is None or source is None else len(source.encode()[: last.colno].decode()) + 1
        return ScriptFault(message, relative(file, self._folder), line, column, source)

    def _from_own(self, trace: types.TracebackType | None) -> types.TracebackType | None:
        """Leave out the calls that led to the author's first line; all if there is none."""
        inner = trace
        while inner is not None and not self._own(inner.tb_frame.f_code.co_filename):
            inner = inner.tb_next
        return inner or trace

    def _own(self, name: str) -> bool:
        file = Path(name)
        return file.is_relative_to(self._script.parent) and not file.name.startswith(("test_", "conftest"))


def _level(name: str) -> LogLevel:
    return name if name in ("debug", "info", "warn", "error") else "info"  # type: ignore[return-value]


class _Lines(io.TextIOBase):
    """Makes log lines of what is written."""

    def __init__(self, lines: list[LogLine], level: LogLevel) -> None:
        self._lines, self._level, self._open = lines, level, ""

    def write(self, text: str) -> int:
        *whole, self._open = (self._open + text).split("\n")
        self._lines += [LogLine(time.time(), self._level, line) for line in whole]
        return len(text)

    def finish(self) -> None:
        """Take an unfinished line for a whole one."""
        if self._open:
            self.write("\n")


class _Records(logging.Handler):
    def __init__(self, lines: list[LogLine]) -> None:
        super().__init__(logging.INFO)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        number = record.levelno
        level: LogLevel = "info" if number < 30 else "warn" if number < 40 else "error"
        self._lines.append(LogLine(record.created, level, self.format(record)))


@contextlib.contextmanager
def _heard(lines: list[LogLine]) -> Iterator[None]:
    """Take prints, logging and warnings for log lines, as the engine does."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    out, err = _Lines(lines, "info"), _Lines(lines, "error")
    root.handlers[:] = [_Records(lines)]
    root.setLevel(logging.INFO)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            logging.captureWarnings(True)
            yield
    finally:
        logging.captureWarnings(False)
        root.handlers[:] = handlers
        root.setLevel(level)
        out.finish()
        err.finish()
