"""Renders that were looked at once and kept: a test fails when one comes out differently."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

from devkit.testing.render import Render

__tracebackhide__ = True  # a failed test shows its own lines, and the script's

FOLDER = "golden"
UNFIT = re.compile(r"[^\w.-]+")
UPDATE = "--update-golden"


class Golden:
    """Compares what is drawn with `golden/<test>.json` beside the test; `update` rewrites that file."""

    def __init__(self, test: Path, name: str, update: bool) -> None:
        self._folder, self._update = test.parent / FOLDER, update
        self._name = UNFIT.sub("-", name).strip("-")
        self._used: set[str] = set()

    def __call__(self, output: Render | dict[str, Any] | list[Any], name: str | None = None) -> None:
        """Compare a render, or any JSON value; `name` distinguishes several in one test."""
        stem = self._name if name is None else f"{self._name}-{UNFIT.sub('-', name)}"
        if stem in self._used:
            raise ValueError(
                f"{stem}.json is compared twice in one test; give each its own name: golden(render, 'after')"
            )
        self._used.add(stem)
        file = self._folder / f"{stem}.json"
        value = output.output if isinstance(output, Render) else output
        fresh = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        if self._update:
            try:
                self._folder.mkdir(exist_ok=True)
                file.write_text(fresh, encoding="utf-8")
            except OSError as error:
                raise AssertionError(f"{file} cannot be written: {error.strerror}") from None
            return
        where = f"{FOLDER}/{file.name}"
        if not file.is_file():
            raise AssertionError(f"there is no {where} yet; look at the render, then write it with {UPDATE}")
        golden = file.read_text(encoding="utf-8")
        if golden != fresh:
            lines = difflib.unified_diff(golden.splitlines(), fresh.splitlines(), where, "current render", lineterm="")
            raise AssertionError(f"{where} differs; {UPDATE} accepts the new render:\n" + "\n".join(lines))
