"""What is wrong with a project, with its place in the author's files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from devkit.terminal.output import Mistake, Problem

Level = Literal["error", "warning"]
LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""What YAML counts as the end of a line."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with its place; lines and columns count from 1, and are 0 for a file as a whole.

    `rule` is the id of the rule in `devkit.checking.rules` that found it, "" where none did. A warning is odd but no
    reason to refuse the project.
    """

    file: str
    line: int
    column: int
    message: str
    source: str | None = None
    rule: str = ""
    level: Level = "error"

    @property
    def sentence(self) -> str:
        """`file:line:column: message`; without a file only the message."""
        if not self.line:
            return f"{self.file}: {self.message}" if self.file else self.message
        return f"{self.file}:{self.line}:{self.column}: {self.message}"

    @property
    def pointed(self) -> str:
        """The source line with a caret under the column; "" where the line is not known."""
        if self.source is None:
            return ""
        # A tab before the caret keeps it below its character, whatever the terminal makes of tabs.
        before = "".join("\t" if char == "\t" else " " for char in self.source[: self.column - 1])
        return f"    {self.source}\n    {before}^"

    def as_json(self) -> dict[str, Any]:
        """Return the finding as other programs read it."""
        return {
            "file": self.file or None,
            "line": self.line or None,
            "column": self.column or None,
            "message": self.message,
            "source": self.source,
            "rule": self.rule,
            "level": self.level,
        }


class InvalidProject(Problem):
    """A project that cannot be built; `findings` say where."""

    def __init__(self, findings: list[Finding]) -> None:
        findings = sorted(findings, key=lambda one: one.level != "error")
        more = f" (and {len(findings) - 1} more; `devkit check` lists them)" if len(findings) > 1 else ""
        # Without the lines themselves, which may hold secrets: what is on standard error ends up in logs.
        told = [{key: value for key, value in one.as_json().items() if key != "source"} for one in findings]
        super().__init__(findings[0].sentence + more, findings=told)
        self.findings = findings


class UnknownEnvironment(InvalidProject, Mistake):
    """An environment that the manifest does not have, which whoever typed its name got wrong."""


def line_of(text: str, line: int) -> str | None:
    """Return one line of a text, counted from 1; None beyond its end."""
    lines = LINE_END.split(text)
    return lines[line - 1] if 0 < line <= len(lines) else None
