"""Notion exports: Markdown and CSV, with a 32-digit id after every name."""

from __future__ import annotations

import csv
import io
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime.services.importing.folders import FolderReader
from runtime.services.importing.page_texts import Text, text_of
from runtime.services.importing.transfer import Writer, clean
from runtime.services.markdown.block_lines import CodeFence

ID = re.compile(r"[ _-]([0-9a-f]{32})(?=(?:_all)?(?:\.\w+)?$)")
MAX_ROWS, MAX_COLUMNS = 1000, 50
LONGEST_CELL = 2000


def read(folder: Path, writer: Writer, where: str) -> dict[str, Any]:
    """Read an export; returns the totals for `Writer.close`."""
    return NotionReader(folder, writer, where).read()


class NotionReader(FolderReader):
    """Reads an export: a page's children are in a folder of the same name, databases are CSV files."""

    top = 1  # the title is not one of Notion's headings, which start with `#` below it

    def is_page(self, path: str) -> bool:
        """Return whether a file is a page; of each database's two files, one is."""
        return super().is_page(path) or (path.endswith(".csv") and not path.endswith("_all.csv"))

    def find_targets(self) -> Mapping[str, str]:
        """Also map the second file of each database to its key."""
        twice = {f"{path.removesuffix('.csv')}_all.csv": path for path in self.page_paths if path.endswith(".csv")}
        return {**twice, **super().find_targets()}

    def title_of(self, path: str) -> str:
        """Return the name without its id."""
        stem = posixpath.splitext(posixpath.basename(path))[0]
        return ID.sub("", stem).strip() or "Untitled"

    def text_of(self, path: str) -> Text:
        """Read a page, or a database as a table."""
        if path.endswith(".csv"):
            return Text(self.title_of(path), self._table(path))
        text = super().text_of(path)
        return text._replace(markdown=_with_callouts(text.markdown)) if "<aside>" in text.markdown else text

    def _table(self, path: str) -> str:
        every = f"{path.removesuffix('.csv')}_all.csv"
        source = text_of(self.root / (every if every in self.files else path))
        csv.field_size_limit(1 << 20)
        rows: list[list[str]] = []
        try:
            for row in csv.reader(io.StringIO(source)):
                if len(rows) > MAX_ROWS:
                    self.problems.append(f"{clean(path)[:150]}: only the first {MAX_ROWS} rows were imported.")
                    break
                rows.append([_cell(value) for value in row[:MAX_COLUMNS]])
        except csv.Error:
            self.problems.append(f"{clean(path)[:150]}: the table is damaged.")
        if not rows:
            return ""
        width = max(map(len, rows))
        lines = ["|".join(["", *row, *[""] * (width - len(row)), ""]) for row in rows]
        return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]]) + "\n"


def _with_callouts(markdown: str) -> str:
    """Rewrite `<aside>`, a Notion callout, as a hint, except in code."""
    fence = CodeFence()
    lines: list[str] = []
    opened = 0
    for line in markdown.split("\n"):
        text = line.strip()
        if fence.holds(line):
            pass
        elif text == "<aside>":
            opened += 1
            line = line.replace("<aside>", '{% hint style="info" %}')
        elif text == "</aside>" and opened:
            opened -= 1
            line = line.replace("</aside>", "{% endhint %}")
        lines.append(line)
    return "\n".join(lines)


def _cell(value: str) -> str:
    text = " ".join(clean(value.replace("\n", " ")).split())[:LONGEST_CELL]
    return re.sub(r"([\\|`*_\[\]<{$])", r"\\\1", text) or " "
