"""What the rules look at: a project, its code, and what came of running it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devkit.build import javascript
from devkit.build.bundle import modules, runtime_of
from devkit.build.source_positions import relative
from devkit.checking import javascript_code, python_code
from devkit.checking.code import Code, Source, Spot
from devkit.files.own_files import MOST_TEXT, text_of
from devkit.manifests.reading import ValuePath
from devkit.offline.sandboxed_script import CallResult
from devkit.offline.simulated_host import LEVELS, Level
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.contract.invocation import LoadReport

MAX_SOURCE = 1_000_000
"""A longer file is generated code, which nobody edits by hand."""
SKIPPED = ("node_modules", "test", "tests", "__tests__", "dist", "build")


@dataclass(frozen=True, slots=True)
class Drawing:
    """One component that was drawn: where the manifest asks for it, where the script registers it, what came of it."""

    component: str
    where: ValuePath
    what: str
    called: CallResult
    spot: Spot | None


@dataclass(slots=True)
class Subject:
    """One project under examination; `report` is None where the script cannot be loaded, which took `start` seconds."""

    project: Project
    code: Code
    unset: dict[str, list[str]] = field(default_factory=dict)
    report: LoadReport | None = None
    start: float = 0.0
    drawings: list[Drawing] = field(default_factory=list)

    @property
    def python(self) -> bool:
        """Return whether the script is Python, whose SDK says what it registers."""
        return runtime_of(self.project) == "python"

    @property
    def handled(self) -> set[str]:
        """The types of events the script handles: as it was loaded, else as it is written."""
        if self.python and self.report is not None:
            return set(self.report.events)
        return {event.name for event in self.code.events}

    def entries(self, name: str) -> list[Any]:
        """Return a list of the manifest that may be left out, such as `blocks`."""
        declared = getattr(self.project.manifest, name)
        return declared if isinstance(declared, list) else []

    def screens(self) -> Iterator[tuple[Level, Any]]:
        """Yield the configuration screens of the manifest by their level."""
        for level in LEVELS:
            screen = getattr(self.project.manifest.configurations, level, None)
            if hasattr(screen, "component_id") or hasattr(screen, "properties"):
                yield level, screen


def code_of(project: Project) -> Code:
    """Look at the sources of a project's script."""
    script = project.script
    if not script.is_file() or script.suffix not in (".py", *javascript.ENDINGS):
        return Code(partial=True)
    scan = python_code.scan if script.suffix == ".py" else javascript_code.scan
    sources = sources_of(project)
    code = scan(sources)
    code.partial = code.partial or len(sources) < len(_files(script))
    return code


def sources_of(project: Project) -> list[Source]:
    """Read the files of a project's script, without those that cannot be read or are too long."""
    script = project.script
    # An engine names a file of Python as it is in the bundle, beside the entry.
    folder = script.parent if script.suffix == ".py" else project.folder
    return [source for path in _files(script) if (source := _source(path, folder)) is not None]


def _files(script: Path) -> list[Path]:
    return modules(script) if script.suffix == ".py" else _javascript_files(script.parent)


def _javascript_files(folder: Path) -> list[Path]:
    """List the files below a folder that may belong to a script; packages are not even entered, for there are many."""
    paths = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        files = (Path(place, name) for name in sorted(names) if not name.startswith(".") and ".d." not in name)
        paths += [path for path in files if path.suffix in javascript.ENDINGS]
    return paths


def _source(path: Path, folder: Path) -> Source | None:
    """Read one file; None for what cannot be read, which the build reports, and for what is too long."""
    try:
        text = text_of(path, MOST_TEXT, "a source")
    except (OSError, UnicodeDecodeError, Problem):
        return None
    return Source(relative(path, folder), text) if len(text) <= MAX_SOURCE else None
