"""What the TypeScript compiler of a project's own says of its types."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from devkit.build import node_packages, programs
from devkit.build.javascript import ENDINGS
from devkit.build.source_positions import relative, source_line
from devkit.manifests.findings import Finding
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from devkit.testing.files import FOLDER
from runtime.engines.javascript.command import find_deno
from runtime.engines.sandbox import SandboxMode

RULE = "type-error"
OPTIONS = ("--noEmit", "--pretty", "false", "--project")
# The compiler reads files and writes none.
RIGHTS = ("--allow-read", "--allow-env", "--allow-sys")
PATIENCE = 180
"""Seconds, for projects with many packages on machines that do something else."""
ERROR = re.compile(r"^(?:(?P<file>.+?)\((?P<line>\d+),(?P<column>\d+)\): )?error TS\d+: (?P<message>.*)$", re.MULTILINE)


def find_errors(project: Project, sandbox: SandboxMode) -> Iterator[Finding]:
    """Yield the errors in the project's own files; raises Problem where its compiler cannot be run.

    The compiler is the project's own: it runs in a sandbox that shows it the project and nothing else.

    A project without an installed `typescript` or without a `tsconfig.json` is not looked at.
    """
    if project.script.suffix not in ENDINGS:
        return
    settings = _settings(project)
    command = _compiler(project.folder) if settings is not None else None
    if settings is None or command is None:
        return
    try:
        # Deno sees no /proc, and asks there where its own program is.
        links = {"/proc/self/exe": command[0]}
        ours = [str(FOLDER)] + [program for program in command[:1] if program == find_deno()]
        done = programs.run(
            [*command, *OPTIONS, str(settings)],
            project.folder,
            PATIENCE,
            sandbox,
            environment={"DENO_DIR": "/tmp/deno"} if sandbox == "required" else {},
            mounts={place: place for place in ours},
            links=links,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"TypeScript cannot be run: {error}", hint="run `npm install` again") from error
    told = list(ERROR.finditer(done.stdout))
    if done.returncode and not told:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise Problem(f"TypeScript cannot be run: {said[-1]}", hint="run `npm install` again")
    for match in told:
        finding = _finding(project.folder.resolve(), settings, match)
        if finding is not None:
            yield finding


def _settings(project: Project) -> Path | None:
    """Find the `tsconfig.json` of the script: the nearest one, but none from outside the project."""
    for above in project.script.parents:
        if (above / "tsconfig.json").is_file():
            return above / "tsconfig.json"
        if above == project.folder:
            return None
    return None


def _compiler(folder: Path) -> list[str] | None:
    """Return the command that runs the compiler: its own program since TypeScript 7, before that with Deno."""
    for package in node_packages.installed(folder, "typescript"):
        native = Path("@typescript", f"typescript-{node_packages.this_machine()}", "lib", "tsc")
        program = node_packages.program(package, native)
        if program is not None:
            return [str(program)]
        deno = find_deno()
        return [deno, *programs.DENO, *RIGHTS, str(package / "lib" / "tsc.js")] if deno is not None else None
    return None


def _finding(folder: Path, settings: Path, match: re.Match[str]) -> Finding | None:
    """Place an error; None for one in a package, which is not the author's."""
    if match["file"] is None:
        return Finding(relative(settings, folder), 1, 1, match["message"], None, RULE)
    file = (folder / match["file"]).resolve()
    if not file.is_relative_to(folder) or "node_modules" in file.parts:
        return None
    line, column = int(match["line"]), int(match["column"])
    return Finding(relative(file, folder), line, column, match["message"], source_line(folder, file, line), RULE)
