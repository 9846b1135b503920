"""`devkit check`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from devkit.checking import sarif
from devkit.checking.inspection import Inspection, Measures, inspect
from devkit.manifests import schema as manifest_schema
from devkit.manifests.findings import Finding
from devkit.offline.confinement import sandbox_option
from devkit.projects import completion
from devkit.projects import project as projects
from devkit.projects.environments import env_option
from devkit.terminal.output import Problem, json_option, say, styled
from devkit.terminal.wording import counted
from runtime.contract.units import bytes_text, duration_text
from runtime.engines.sandbox import SandboxMode

COLORS = {"error": "red", "warning": "yellow"}


@click.command("check")
@click.argument("path", required=False, shell_complete=completion.folders)
@sandbox_option
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--sarif", "sarif_file", type=click.Path(dir_okay=False), help="Write the findings as SARIF, for CI.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of a manifest, for editors, and check nothing.")
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: str | None,
    sandbox: SandboxMode,
    strict: bool,
    sarif_file: str | None,
    schema: bool,
    env: str | None,
    as_json: bool,
) -> None:
    """Check the project in PATH (default: this folder) without publishing it.

    Reads the manifest, compares it with the script, loads the script in its sandbox, and renders every block and
    configuration screen. Types are checked if TypeScript is installed. No requests are sent. Exits with 1 if there are
    problems.

    Examples: devkit check ./my-integration --strict
              devkit check --sarif check.sarif
              devkit check --schema > integration.schema.json
    """
    if schema:
        say(manifest_schema.FILE.read_text(encoding="utf-8").rstrip("\n"))
        return
    inspection = inspect(path, sandbox, env)
    ok = not (inspection.findings if strict else inspection.errors)
    if sarif_file is not None:
        _write(Path(sarif_file), sarif.document(inspection.findings, projects.find_folder(path)[0]))
    if as_json:
        report = {"findings": _as_json(inspection.errors), "warnings": _as_json(inspection.warnings)}
        measures = _measures_as_json(inspection.measures)
        say(json.dumps({"ok": ok, "name": inspection.name, **report, "measures": measures}))
    else:
        for finding in inspection.findings:
            say(_shown(finding))
        if inspection.measures is not None:
            say(_weighed(inspection.measures))
        say(_summary(inspection))
    ctx.exit(0 if ok else 1)


def _as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [finding.as_json() for finding in findings]


def _measures_as_json(measures: Measures | None) -> dict[str, Any] | None:
    if measures is None:
        return None
    start = round(measures.start * 1000, 1)
    return {"codeBytes": measures.code, "startMs": start, "memoryBytes": measures.memory}


def _weighed(measures: Measures) -> str:
    parts = (bytes_text(measures.code), duration_text(measures.start * 1000), bytes_text(measures.memory))
    return "{} of code, loaded in {}, then holds {} of memory.".format(*parts)


def _shown(finding: Finding) -> str:
    """Print a finding with its line and its rule, with colors only on a terminal."""
    level = styled(f"{finding.level}: ", fg=COLORS[finding.level], bold=True)
    rule = f" [{finding.rule}]" if finding.rule else ""
    return "\n".join(filter(None, (f"{level}{finding.sentence}{rule}", finding.pointed)))


def _summary(inspection: Inspection) -> str:
    name = f"{inspection.name}: " if inspection.name is not None else ""
    if not inspection.findings:
        return f"{name}no problem found."
    errors = counted(len(inspection.errors), "error", "errors")
    return f"{name}{errors}, {counted(len(inspection.warnings), 'warning', 'warnings')}."


def _write(file: Path, document: dict[str, Any]) -> None:
    """Write a report atomically; raises Problem."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        fresh.replace(file)
    except OSError as error:
        # Removing it may fail for the reason that writing did.
        if os.access(file.parent, os.W_OK):
            fresh.unlink(missing_ok=True)
        raise Problem(f"{file} cannot be written: {error.strerror}", hint="choose another place with --sarif") from None
