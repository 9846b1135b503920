"""Turn a script's text or zip bundle into a module, and its errors into something an author can act on."""

from __future__ import annotations

import importlib
import linecache
import re
import sys
import traceback
import types
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from runtime.engines.python_process.child.suggestions import suggested

MODULE_NAME = "integration"
_MAY_IMPORT = (
    "A script may import the standard library, runtime.sdk, requests, jwt, cryptography and modules in its own bundle."
)
_LOOKS_LIKE_JAVASCRIPT = re.compile(
    r"^\s*(?:import\s+.*\bfrom\s+['\"]|import\s*\{|import\s+['\"]|export\s+(?:default|const|function|async|class)\b"
    r"|(?:const|let|var)\s+[\w{\[]|(?:async\s+)?function\b.*[({]|//|/\*)"
    r"|=>\s*\{|===",
    re.MULTILINE,
)
_FRAMES, _SHOWN = 30, 3
"""Frames of an error that are told, and how many times the same one is before it is only counted."""
_JAVASCRIPT_HINT = 'this looks like JavaScript: publish it with runtime "v2"'


class Loader:
    """Loads one script and knows which files are its author's."""

    def __init__(self, entry: str, folder: str) -> None:
        """Take the entry file's name, and a folder that may be written."""
        self.entry = entry
        self._archive = f"{folder}/bundle.zip"

    def load(self, source: bytes, *, bundle: bool) -> dict[str, Any]:
        """Run the script's top level and return its names; raises whatever the script raises."""
        text = self._unpack(source) if bundle else source.decode("utf-8")
        linecache.cache[self.entry] = (len(text), None, text.splitlines(keepends=True), self.entry)
        module = types.ModuleType(MODULE_NAME)
        module.__file__ = self.entry
        sys.modules[MODULE_NAME] = module
        exec(compile(text, self.entry, "exec", dont_inherit=True), module.__dict__)
        return module.__dict__

    def _unpack(self, source: bytes) -> str:
        """Put the bundle where its modules can be imported; returns the entry file's text."""
        Path(self._archive).write_bytes(source)
        with zipfile.ZipFile(self._archive) as archive:
            text = archive.read(self.entry).decode("utf-8")
        sys.path.insert(0, self._archive)
        folder = self.entry.rpartition("/")[0]
        if folder:
            sys.path.insert(0, f"{self._archive}/{folder}")
        importlib.invalidate_caches()
        return text

    def author_file(self, name: str) -> str | None:
        """Return the name an author knows a file by, or None for a file that is not the author's."""
        if name == self.entry:
            return name
        prefix = self._archive + "/"
        return name[len(prefix) :] if name.startswith(prefix) else None

    def describe(self, error: BaseException) -> dict[str, Any]:
        """Return the fields of a ScriptFault for an exception of the script."""
        fault: dict[str, Any] = {"message": sentence_of(error)}
        frames = list(self._frames(error))
        if isinstance(error, SyntaxError) and error.filename and (file := self.author_file(error.filename)):
            fault.update(file=file, line=error.lineno, column=error.offset, source=(error.text or "").rstrip("\n"))
            if self._looks_like_javascript():
                fault["hint"] = _JAVASCRIPT_HINT
        elif frames:
            name, frame = frames[-1]
            source = linecache.getline(frame.filename, frame.lineno or 0).rstrip("\n")
            fault.update(file=name, line=frame.lineno, source=source)
            if frame.colno is not None:  # counts bytes
                fault["column"] = len(source.encode()[: frame.colno].decode("utf-8", "replace")) + 1
        if isinstance(error, ImportError):
            fault["hint"] = _MAY_IMPORT
        return fault

    def place(self, frame: types.FrameType | None) -> dict[str, Any] | None:
        """Return the author's line that a frame stands in, as fields of a ScriptFault; None outside of a script."""
        while frame is not None:
            if (name := self.author_file(frame.f_code.co_filename)) is not None:
                source = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).rstrip("\n")
                column = len(source) - len(source.lstrip()) + 1
                return {"message": "", "file": name, "line": frame.f_lineno, "column": column, "source": source}
            frame = frame.f_back
        return None

    def render(self, error: BaseException) -> str:
        """Return the exception with the author's frames only, last call last."""
        lines = [sentence_of(error)]
        for name, frame, line, times in self._folded(error):
            source = linecache.getline(frame.f_code.co_filename, line, frame.f_globals).strip()
            call = [f"  {name}:{line} in {frame.f_code.co_name}", *([f"    {source}"] if source else [])]
            lines += call * min(times, _SHOWN)
            if times > _SHOWN:
                more = times - _SHOWN
                lines.append(f"  [Previous line repeated {more} more time{'s' if more > 1 else ''}]")
        return "\n".join(lines)

    def _folded(self, error: BaseException) -> Iterable[tuple[str, types.FrameType, int, int]]:
        """Return the last frames of the author, each with its line and how many times in a row it was there."""
        runs: deque[tuple[str, types.FrameType, int, int]] = deque(maxlen=_FRAMES)
        for frame, line in traceback.walk_tb(error.__traceback__):
            name = self.author_file(frame.f_code.co_filename)
            if name is None:
                continue
            times = 1
            if runs and (runs[-1][1].f_code, runs[-1][2]) == (frame.f_code, line):
                times += runs.pop()[3]
            runs.append((name, frame, line, times))
        return runs

    def _frames(self, error: BaseException) -> Iterator[tuple[str, traceback.FrameSummary]]:
        # Only the end of the stack: a runaway recursion has a thousand frames.
        for frame in traceback.extract_tb(error.__traceback__, limit=-_FRAMES):
            if (name := self.author_file(frame.filename)) is not None:
                yield name, frame

    def _looks_like_javascript(self) -> bool:
        text = "".join(linecache.getlines(self.entry))
        return _LOOKS_LIKE_JAVASCRIPT.search(text[:20_000]) is not None


def sentence_of(error: BaseException) -> str:
    """Return the type and message of an error, and the name that was probably meant."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, ImportError) and type(error.path) is str:
        text = text.removesuffix(f" ({error.path})")  # a place in the sandbox, which the author does not know
    return text[:4000] + suggested(error)
