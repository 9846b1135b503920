"""Finds and reads a project: its manifest with the place of each value, and what is wrong with it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from devkit.output import Problem
from runtime.contract.manifest import FILES, ProjectManifest
from runtime.contract.security_policy import normalise

NAME_LINE = re.compile(r"""^name:\s*["']?([\w.-]{1,100})["']?\s*(?:#.*)?$""", re.MULTILINE)
DIRECTIVE = re.compile(r"^`([\w-]+)`")
EXPRESSION = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}")
Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with its place; lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str
    source: str | None = None

    @property
    def sentence(self) -> str:
        """`file:line:column: message`."""
        return f"{self.file}:{self.line}:{self.column}: {self.message}"

    def as_json(self) -> dict[str, Any]:
        """Give the finding as other programs read it."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "source": self.source,
        }


class Wrong(Problem):
    """A project that cannot be built; `findings` say where."""

    def __init__(self, findings: list[Finding]) -> None:
        more = f" (and {len(findings) - 1} more; `devkit check` lists them)" if len(findings) > 1 else ""
        super().__init__(findings[0].sentence + more)
        self.findings = findings


@dataclass(slots=True)
class Project:
    """A project folder with its manifest; `places` maps a path inside the manifest to line and column."""

    folder: Path
    file: Path
    manifest: ProjectManifest
    places: dict[Path_, tuple[int, int]] = field(default_factory=dict)
    text: str = ""

    @property
    def script(self) -> Path:
        """The script's file."""
        return (self.folder / self.manifest.script).resolve()

    def finding(self, where: Path_, message: str) -> Finding:
        """Say that something is wrong with a value of the manifest."""
        return _finding(self.file, self.text, self.places, where, message)


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


def load(start: str | None) -> Project:
    """Read a project; raises Wrong with every finding in its manifest."""
    folder, file = find_folder(start)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read: {error}") from error
    values, places = _parse(file, text)
    try:
        manifest = ProjectManifest.model_validate(values)
    except ValidationError as error:
        raise Wrong(_findings(file, text, places, error)) from None
    return Project(folder, file, manifest, places, text)


def _parse(file: Path, text: str) -> tuple[Any, dict[Path_, tuple[int, int]]]:
    places: dict[Path_, tuple[int, int]] = {(): (1, 1)}
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        if not isinstance(node, yaml.MappingNode):
            raise Wrong([Finding(file.name, 1, 1, "the manifest must be a mapping: `name: my-integration`, ...")])
        mark_places(node, (), places)
        return yaml.safe_load(text), places
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = f"not valid YAML: {error.problem or error.context}"
        raise Wrong([Finding(file.name, line, column, message, _line(text, line))]) from None
    except yaml.YAMLError as error:
        raise Wrong([Finding(file.name, 1, 1, f"not valid YAML: {error}")]) from None


def mark_places(node: yaml.Node, path: Path_, places: dict[Path_, tuple[int, int]]) -> None:
    """Note line and column of everything inside a node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, str(key.value))
            places[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
            mark_places(value, inner, places)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            places[(*path, number)] = (value.start_mark.line + 1, value.start_mark.column + 1)
            mark_places(value, (*path, number), places)


def _findings(file: Path, text: str, places: dict[Path_, tuple[int, int]], error: ValidationError) -> list[Finding]:
    """Turn validation errors into findings, one for each place; the parts of a union are told once."""
    findings: dict[tuple[int, int, str], Finding] = {}
    for one in error.errors(include_url=False, include_context=False):
        loc = tuple(part for part in one["loc"] if isinstance(part, int) or not _is_type_name(part))
        message = f"{'.'.join(map(str, loc))}: {one['msg']}" if loc else one["msg"]
        if one["type"] == "missing":
            message = f"`{'.'.join(map(str, loc))}` is missing"
        found = _finding(file, text, places, loc, message)
        findings.setdefault((found.line, found.column, found.message), found)
    return sorted(findings.values(), key=lambda found: (found.line, found.column))


def _is_type_name(part: str) -> bool:
    """Tell whether pydantic put the name of a union's member into a location."""
    return part[:1].isupper() or part in ("str", "dict[str,str]", "function-after[_is_policy()", "int", "float", "bool")


def _finding(file: Path, text: str, places: dict[Path_, tuple[int, int]], where: Path_, message: str) -> Finding:
    while where and where not in places:
        where = where[:-1]
    line, column = places[where]
    return Finding(file.name, line, column, message, _line(text, line))


def _line(text: str, line: int) -> str | None:
    lines = text.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else None


def warnings(project: Project) -> list[Finding]:
    """Find what is odd in a manifest but no reason to refuse it."""
    policy = project.manifest.content_security_policy
    if not isinstance(policy, (str, dict)):
        return []
    found = []
    for warning in normalise(policy).warnings:
        directive = DIRECTIVE.match(warning)
        where = ("contentSecurityPolicy", directive[1] if directive else "")
        found.append(project.finding(where, f"contentSecurityPolicy: {warning}"))
    return found


def guess_name(start: str | None) -> str | None:
    """Read the name from a manifest that has faults elsewhere; None where there is none to be seen."""
    _, file = find_folder(start)
    try:
        found = NAME_LINE.search(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return found[1] if found else None


def environment(project: Project) -> dict[str, str]:
    """Read the variables secrets may name: the process's own, over those of the project's `.env`."""
    values: dict[str, str] = {}
    file = project.folder / ".env"
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            name, separator, value = line.strip().removeprefix("export ").partition("=")
            if separator and not name.startswith("#"):
                values[name.strip()] = value.strip().strip("\"'")
    return values | dict(os.environ)


def secrets(project: Project) -> dict[str, str]:
    """Fill `${{ env.X }}` in the manifest's secrets; raises Wrong naming all variables that are not set."""
    known = environment(project)
    missing = [
        project.finding(("secrets", key), f"the variable `{name}` is not set; export it, or write it into .env")
        for key, text in project.manifest.secrets.items()
        for name in EXPRESSION.findall(text)
        if name not in known
    ]
    if missing:
        raise Wrong(missing)
    return {key: EXPRESSION.sub(lambda found: known[found[1]], text) for key, text in project.manifest.secrets.items()}
