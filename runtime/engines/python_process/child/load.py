"""Turn a script's text or zip bundle into a module, and its errors into something an author can act on."""

from __future__ import annotations

import importlib
import linecache
import re
import sys
import traceback
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
        fault: dict[str, Any] = {"message": _sentence(error)}
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
        lines = [_sentence(error)]
        for name, frame in self._frames(error):
            lines.append(f"  {name}:{frame.lineno} in {frame.name}")
            if frame.line:
                lines.append(f"    {frame.line}")
        return "\n".join(lines)

    def _frames(self, error: BaseException) -> Iterator[tuple[str, traceback.FrameSummary]]:
        # Only the end of the stack: a runaway recursion has a thousand frames.
        for frame in traceback.extract_tb(error.__traceback__, limit=-30):
            if (name := self.author_file(frame.filename)) is not None:
                yield name, frame

    def _looks_like_javascript(self) -> bool:
        text = "".join(linecache.getlines(self.entry))
        return _LOOKS_LIKE_JAVASCRIPT.search(text[:20_000]) is not None


def _sentence(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    text = "".join(traceback.format_exception_only(error)).strip()
    return text[:4000]
