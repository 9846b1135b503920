"""`devkit check`."""

from __future__ import annotations

import json

import click

from devkit import project
from devkit.build.bundle import publish_body, runtime_of
from devkit.output import Problem, complain, json_option, say, warn
from devkit.project import Finding, Wrong
from runtime.contract.invocation import LoadReport, Script
from runtime.engines.egress import EgressRules
from runtime.engines.engine import ScriptRefused
from runtime.engines.sandbox import SandboxMode, SandboxUnavailable
from runtime.engines.table import create_engines


@click.command("check")
@click.argument("path", required=False)
@click.option(
    "--sandbox", type=click.Choice(["required", "off"]), default="required", help="Whether to confine the script."
)
@json_option
@click.pass_context
def command(ctx: click.Context, path: str | None, sandbox: SandboxMode, as_json: bool) -> None:
    """Read the manifest, build the bundle and load the script in its sandbox.

    Example: devkit check ./my-integration --json
    """
    findings, name = inspect(path, sandbox)
    odd = project.warnings(project.load(path)) if name else []
    if as_json:
        told = {"findings": [one.as_json() for one in findings], "warnings": [one.as_json() for one in odd]}
        say(json.dumps({"ok": not findings, "name": name, **told}))
    else:
        for one in findings:
            complain(one.sentence)
            say(pointed(one))
        for one in odd:
            warn(one.sentence)
        if not findings:
            say(f"{name}: no problem found.")
    ctx.exit(1 if findings else 0)


def pointed(finding: Finding) -> str:
    """Show the source line with a caret under the column."""
    if finding.source is None:
        return ""
    return f"    {finding.source}\n    {' ' * (finding.column - 1)}^"


def inspect(path: str | None, sandbox: SandboxMode) -> tuple[list[Finding], str | None]:
    """Check a project; returns what is wrong, and the integration's name where the manifest could be read."""
    try:
        found = project.load(path)
        body = publish_body(found, "any", "development")
    except Wrong as wrong:
        return wrong.findings, None
    entry: str = body["entry"]
    try:
        engines = create_engines(sandbox, EgressRules())
    except SandboxUnavailable as error:
        raise Problem(f"{error} (--sandbox off checks without one)") from error
    try:
        report = engines.check(Script("check", body["runtime"], body["script"], entry))
    except ScriptRefused as refused:
        fault = refused.fault
        hint = f" ({fault.hint})" if fault.hint else ""
        place = Finding(fault.file or entry, fault.line or 1, fault.column or 1, fault.message + hint, fault.source)
        return [place], found.manifest.name
    except (RuntimeError, SandboxUnavailable) as error:
        raise Problem(str(error)) from error
    finally:
        engines.close()
    return list(_unregistered(found, report)), found.manifest.name


def _unregistered(found: project.Project, report: LoadReport) -> list[Finding]:
    """Find what the manifest promises and the script does not register."""
    if runtime_of(found) != "python":
        return []  # only the SDK for Python tells, when it is loaded, what a script registers
    findings = []
    blocks = found.manifest.blocks if isinstance(found.manifest.blocks, list) else []
    for number, block in enumerate(blocks):
        if block.id not in report.components:
            message = f"the script registers no component `{block.id}`; it has {', '.join(report.components) or 'none'}"
            findings.append(found.finding(("blocks", number, "id"), message))
    sources = found.manifest.content_sources if isinstance(found.manifest.content_sources, list) else []
    for number, source in enumerate(sources):
        if source.id not in report.content_sources:
            message = f"the script registers no content source `{source.id}`"
            findings.append(found.finding(("contentSources", number, "id"), message))
    return findings
