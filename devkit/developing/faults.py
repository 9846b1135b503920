"""Errors that keep a change from being live, as findings in the author's files."""

from __future__ import annotations

from pathlib import Path

from devkit.hosts.client import RequestRefused
from devkit.manifests.findings import Finding, InvalidProject
from devkit.projects.error_positions import finding_of
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.contract.manifest_files import FILES
from runtime.engines.engine import ScriptRefused

EXPECTED = (Problem, ScriptRefused, OSError, ValueError)
"""What a reload may raise. A file that cannot be read just now must not end the watching: the next save tries again."""


SAVING, GONE = 0.15, 0.5
"""Seconds before an error is reported, and for a missing or empty file: some editors save in two steps."""


def patience(folder: Path, project: Project | None) -> float:
    """Tell for how long a fault may come of a save that is under way."""
    manifests = [folder / name for name in FILES if (folder / name).is_file()]
    files = [*manifests[:1], *([project.script] if project is not None else [])]
    try:
        whole = bool(manifests) and all(file.stat().st_size for file in files)
    except OSError:
        whole = False
    return SAVING if whole else GONE


def faults(error: Exception, folder: Path, path: str | None) -> list[Finding]:
    """Return the findings behind one of the `EXPECTED` errors; one about no file in particular has no place."""
    if isinstance(error, InvalidProject):
        return error.findings
    if isinstance(error, RequestRefused):
        return [finding_of(error.sentence, folder, path)]
    if isinstance(error, ScriptRefused):
        fault = error.fault
        hint = f" ({fault.hint})" if fault.hint else ""
        place = fault.file or "", fault.line or 0, fault.column or (1 if fault.line else 0)
        return [Finding(*place, fault.message + hint, fault.source)]
    sentence = error.sentence if isinstance(error, Problem) else f"{type(error).__name__}: {error}"
    return [Finding("", 0, 0, sentence)]
