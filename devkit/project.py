"""Finds and reads a project: its manifest with the place of each value, and what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from devkit import environments
from devkit.checking import manifest_faults, manifest_text
from devkit.checking.manifest_text import ManifestText, Path_
from devkit.environments import Variables
from devkit.findings import Finding, Level, Wrong
from devkit.output import Problem
from runtime.contract.manifest import FILES, ProjectManifest
from runtime.contract.security_policy import normalise

NAME_LINE = re.compile(r"""^name:\s*["']?([\w.-]{1,100})["']?\s*(?:#.*)?$""", re.MULTILINE)
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

    def finding(self, where: Path_, message: str, rule: str = "", level: Level = "error") -> Finding:
        """Say that something is wrong with a value of the manifest."""
        return self.text.at_value(where, message, rule, level)


def find_folder(start: str | None) -> tuple[Path, Path]:
    """Find a project's folder and manifest at a path, or above it; raises Problem."""
    begin = Path(start or ".").resolve()
    if begin.is_file():
        return begin.parent, begin
    if not begin.is_dir():
        raise Problem(f"there is no folder {start}")
    for folder in (begin, *begin.parents) if start is None else (begin,):
        for name in FILES:
            if (folder / name).is_file():
                return folder, folder / name
    raise Problem(f"no {FILES[0]} in {begin}; go to a project's folder, or name it")


def load(start: str | None, env: str | None = None) -> Project:
    """Read a project, for one of the environments of its manifest; raises Wrong with every finding in it."""
    folder, file = find_folder(start)
    known = environments.variables(folder, env)
    text = environments.filled(environments.chosen(manifest_text.read(file), env), known)
    manifest, findings = manifest_faults.judge(text)
    if manifest is None:
        raise Wrong(findings)
    return Project(folder, file, manifest, text, env, known, findings)


def warnings(project: Project) -> list[Finding]:
    """Find what is odd in a manifest but no reason to refuse it."""
    found = list(project.odd)
    policy = project.manifest.content_security_policy
    if not isinstance(policy, (str, dict)):
        return found
    for warning in normalise(policy).warnings:
        directive = DIRECTIVE.match(warning)
        where = ("contentSecurityPolicy", directive[1] if directive else "")
        found.append(project.text.at_key(where, f"contentSecurityPolicy: {warning}", "policy-odd", "warning"))
    return found


def name_here(env: str | None) -> str:
    """Read the name of this folder's integration, whatever else its manifest holds or leaves open; raises Problem."""
    folder, file = find_folder(None)
    text = environments.chosen(manifest_text.read(file), env)
    known = environments.variables(folder, env)
    found = environments.filled(replace(text, value={"name": text.value.get("name")}), known).value["name"]
    if not isinstance(found, str) or not found:
        raise Wrong([text.at_value(("name",), "name: write the integration's name, such as `name: my-integration`")])
    return found


def guess_name(start: str | None) -> str | None:
    """Read the name from a manifest that has faults elsewhere; None where there is none to be seen."""
    _, file = find_folder(start)
    try:
        found = NAME_LINE.search(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return found[1] if found else None


def secrets(project: Project) -> dict[str, str]:
    """Fill `${{ env.X }}` in the manifest's secrets; raises Wrong naming all variables that are not set."""
    known, texts = project.variables, project.manifest.secrets
    missing = [
        one for key, text in texts.items() for one in environments.unset(project.text, ("secrets", key), text, known)
    ]
    if missing:
        raise Wrong(missing)
    return {key: environments.fill(text, known) for key, text in texts.items()}
