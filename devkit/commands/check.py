"""`devkit check`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from devkit import completing, project
from devkit.checking import inspecting, sarif
from devkit.checking.inspecting import Inspection
from devkit.checking.words import counted
from devkit.environments import env_option
from devkit.findings import Finding
from devkit.output import Problem, json_option, say
from runtime.engines.sandbox import SandboxMode

COLORS = {"error": "red", "warning": "yellow"}


@click.command("check")
@click.argument("path", required=False, shell_complete=completing.folders)
@click.option(
    "--sandbox", type=click.Choice(["required", "off"]), default="required", help="Whether to confine the script."
)
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.option("--sarif", "sarif_file", type=click.Path(dir_okay=False), help="Write the findings as SARIF, for CI.")
@env_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: str | None,
    sandbox: SandboxMode,
    strict: bool,
    sarif_file: str | None,
    env: str | None,
    as_json: bool,
) -> None:
    """Look for what is wrong in the project in PATH (this folder), without publishing it.

    Reads the manifest, compares it with the script, loads the script in its sandbox, and draws every block and
    configuration screen. Nothing outside is asked. Exits with 1 where something is wrong.

    Examples: devkit check ./my-integration --strict
              devkit check --sarif check.sarif
    """
    inspection = inspecting.inspect(path, sandbox, env)
    ok = not (inspection.findings if strict else inspection.errors)
    if sarif_file is not None:
        _write(Path(sarif_file), sarif.document(inspection.findings, project.find_folder(path)[0]))
    if as_json:
        told = {"findings": _as_json(inspection.errors), "warnings": _as_json(inspection.warnings)}
        say(json.dumps({"ok": ok, "name": inspection.name, **told}))
    else:
        for one in inspection.findings:
            say(_shown(one))
        say(_summary(inspection))
    ctx.exit(0 if ok else 1)


def _as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [one.as_json() for one in findings]


def _shown(one: Finding) -> str:
    """Write a finding with its line and its rule; colours are left out where nobody sees them."""
    level = click.style(f"{one.level}: ", fg=COLORS[one.level], bold=True)
    rule = f" [{one.rule}]" if one.rule else ""
    return "\n".join(filter(None, (f"{level}{one.sentence}{rule}", one.pointed)))


def _summary(inspection: Inspection) -> str:
    name = f"{inspection.name}: " if inspection.name is not None else ""
    if not inspection.findings:
        return f"{name}no problem found."
    errors = counted(len(inspection.errors), "error", "errors")
    return f"{name}{errors}, {counted(len(inspection.warnings), 'warning', 'warnings')}."


def _write(file: Path, document: dict[str, Any]) -> None:
    """Write a report, all of it or nothing; raises Problem."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        fresh.replace(file)
    except OSError as error:
        # Removing it may fail for the reason that writing did.
        if os.access(file.parent, os.W_OK):
            fresh.unlink(missing_ok=True)
        raise Problem(f"{file} cannot be written: {error.strerror}; choose another place with --sarif") from None
