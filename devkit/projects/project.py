"""Finds and reads a project: its manifest with the place of each value, and what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from devkit.manifests import faults, named_files, reading
from devkit.manifests.findings import Finding, InvalidProject, Level
from devkit.manifests.reading import ManifestText, ValuePath
from devkit.projects import environments
from devkit.projects.environments import Variables
from devkit.projects.folder import find_folder as find_folder
from runtime.contract.manifest import ProjectManifest
from runtime.contract.security_policy import normalise

DIRECTIVE = re.compile(r"^`([\w-]+)`")


@dataclass(slots=True)
class Project:
    """A project folder with its manifest, for one of its environments or for none.

    `variables` are what the manifest may name; `odd` is what is strange in its text but no reason to refuse it.
    """

    folder: Path
    file: Path
    manifest: ProjectManifest
    text: ManifestText
    env: str | None = None
    variables: Variables = field(default_factory=dict)
    odd: list[Finding] = field(default_factory=list)

    @property
    def script(self) -> Path:
        """The script's file."""
        return (self.folder / self.manifest.script).resolve()

    def finding(self, where: ValuePath, message: str, rule: str = "", level: Level = "error") -> Finding:
        """Say that something is wrong with a value of the manifest."""
        return self.text.at_value(where, message, rule, level)


def load(start: str | None, env: str | None = None) -> Project:
    """Read a project, for one of the environments of its manifest; raises InvalidProject with every finding in it."""
    folder, file = find_folder(start)
    known = environments.variables(folder, env)
    text = environments.filled(environments.chosen(reading.read(file), env), known)
    manifest, findings = faults.judge(text)
    if manifest is None:
        findings += named_files.missing(text, folder)
        raise InvalidProject(sorted(findings, key=lambda finding: (finding.line, finding.column)))
    return Project(folder, file, manifest, text, env, known, findings)


def warnings(project: Project) -> list[Finding]:
    """Find what is odd in a manifest but no reason to refuse it."""
    findings = list(project.odd)
    findings += environments.passed_over(project.text, project.variables)
    policy = project.manifest.content_security_policy
    if not isinstance(policy, (str, dict)):
        return findings
    for warning in normalise(policy).warnings:
        directive = DIRECTIVE.match(warning)
        where = ("contentSecurityPolicy", directive[1] if directive else "")
        findings.append(project.text.at_key(where, f"contentSecurityPolicy: {warning}", "policy-odd", "warning"))
    return findings


def secrets(project: Project) -> dict[str, str]:
    """Fill `${{ env.X }}` in the manifest's secrets; raises InvalidProject naming all variables that are not set."""
    known, texts = project.variables, project.manifest.secrets
    missing = [
        finding
        for key, text in texts.items()
        for finding in environments.unset(project.text, ("secrets", key), text, known)
    ]
    if missing:
        raise InvalidProject(missing)
    return {key: environments.fill(text, known) for key, text in texts.items()}
