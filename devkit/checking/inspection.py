"""Examines a project: its manifest, its code, and the results of running it in the real sandbox."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from devkit.build.bundle import code_bytes, script
from devkit.build.source_positions import source_line
from devkit.checking import type_check
from devkit.checking.rules import RULES
from devkit.checking.subject import Drawing, Subject, code_of
from devkit.manifests import named_files
from devkit.manifests.findings import Finding, InvalidProject, UnknownEnvironment
from devkit.manifests.reading import ValuePath
from devkit.offline import simulated_host
from devkit.offline.sandboxed_script import CallResult, SandboxedScript
from devkit.offline.simulated_host import Screen
from devkit.projects import environments
from devkit.projects import project as projects
from devkit.projects.project import Project
from devkit.terminal.output import Problem
from runtime.contract.invocation import ScriptFault
from runtime.engines.engine import ScriptRefused
from runtime.engines.sandbox import SandboxMode

INSIDE = re.compile(r" \(/sandbox/[^)]*\)")
"""A path that exists in the sandbox only."""
LOADING = "While it was being loaded:"
EXAMPLE = "example"
"""Placeholder of a secret whose variable is not set."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What a script weighs: bytes of code as it is published, seconds until it is loaded, bytes it then holds."""

    code: int
    start: float
    memory: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is wrong with a project and what is odd, in the order of its files.

    `name` is None where it is not known, and `measures` where the script cannot be loaded.
    """

    name: str | None
    findings: list[Finding]
    measures: Measures | None = None

    @property
    def errors(self) -> list[Finding]:
        """What keeps the project from working."""
        return [finding for finding in self.findings if finding.level == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """What is odd but no reason to refuse the project."""
        return [finding for finding in self.findings if finding.level == "warning"]


def inspect(path: str | None, sandbox: SandboxMode, env: str | None = None) -> Inspection:
    """Check a project, for one of its environments; raises Problem where none can be looked at."""
    try:
        project = projects.load(path, env)
    except UnknownEnvironment:
        raise
    except InvalidProject as wrong:
        return Inspection(None, wrong.findings)
    secrets, unset = _secrets(project)
    subject = Subject(project, code_of(project), unset)
    findings = projects.warnings(project) + list(_run(subject, secrets, sandbox))
    if not any(finding.rule == "build-failed" for finding in findings):  # which the compiler would tell again
        findings += type_check.find_errors(project, sandbox)
    for rule in RULES.values():
        if rule.look is not None:
            findings += rule.look(subject)
    return Inspection(project.manifest.name, _ordered(project, findings), _measures(subject))


def check_without_running(project: Project) -> list[Finding]:
    """Compare a manifest with the code without running it; gives the warnings, raises InvalidProject for errors."""
    _, unset = _secrets(project)
    subject = Subject(project, code_of(project), unset)
    findings = projects.warnings(project) + named_files.missing(project.text, project.folder)
    for rule in RULES.values():
        findings += rule.look(subject) if rule.look is not None else ()
    ordered = _ordered(project, findings)
    if wrong := [finding for finding in ordered if finding.level == "error"]:
        raise InvalidProject(wrong)
    return ordered


def _secrets(project: Project) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Fill the secrets, with examples where a variable is not set; gives those variables by secret."""
    known = project.variables
    filled, unset = {}, dict[str, list[str]]()
    for name, text in project.manifest.secrets.items():
        filled[name] = environments.fill_with_examples(text, known, EXAMPLE)
        missing = [variable for variable in environments.names_in(text) if variable not in known]
        if missing:
            unset[name] = missing
    return filled, unset


def _run(subject: Subject, secrets: dict[str, str], sandbox: SandboxMode) -> Iterator[Finding]:
    """Build the script, load it and draw its components; gives what keeps it from being built or loaded."""
    try:
        run = SandboxedScript(subject.project, sandbox=sandbox, secrets=secrets, simulated_api=True)
        run.build()
    except InvalidProject as wrong:
        yield from (replace(finding, rule="build-failed") for finding in wrong.findings)
        return
    except Problem as problem:
        yield subject.project.finding(("script",), problem.sentence, "build-failed")
        return
    with run:
        began = time.monotonic()
        try:
            subject.report = run.load()
            subject.start = time.monotonic() - began
        except ScriptRefused as refused:
            yield _refusal(subject.project, refused.fault, run.entry)
            return
        stuck = set[str]()
        links = _links(subject)
        for component, where, what, screen in _components(subject, run):
            if component in stuck:  # it would take its whole time again
                continue
            if component in links:
                called = _unfurled(run, component, links[component], screen)
                if called is None:
                    continue
            else:
                called = run.render(component, screen=screen)
            if called.trace.failure is not None:
                stuck.add(component)
            subject.drawings.append(Drawing(component, where, what, called, subject.code.component(component)))


def _measures(subject: Subject) -> Measures | None:
    """Weigh a script that was loaded, as it would be published."""
    if subject.report is None:
        return None
    code, _ = script(subject.project)
    return Measures(code_bytes(code), subject.start, subject.report.memory)


def _links(subject: Subject) -> dict[str, str]:
    """Return the blocks that stand for links, each with an address that its first pattern takes."""
    blocks = ((block.id, block.url_unfurl) for block in subject.entries("blocks"))
    return {
        name: re.sub(r"\*+", "example", patterns[0])
        for name, patterns in blocks
        if isinstance(patterns, list) and patterns
    }


def _unfurled(run: SandboxedScript, component: str, address: str, screen: Screen) -> CallResult | None:
    """Draw a block as a pasted link begins it; None where the script shows the plain link, or asks others about it."""
    asked = run.render(component, action={"action": "@link.unfurl", "url": address}, screen=screen)
    if asked.asked_outside or 400 <= asked.status < 500:
        return None
    try:
        answer = asked.json if asked.status < 300 and asked.trace.failure is None else None
    except (ValueError, RecursionError):
        return asked
    if not isinstance(answer, dict) or "element" in answer:
        return asked
    begun: dict[str, dict[str, Any]] = {
        name: value for name in ("props", "state") if isinstance(value := answer.get(name), dict)
    }
    called = run.render(component, screen=screen, **begun)
    return None if called.asked_outside else called


def _components(subject: Subject, run: SandboxedScript) -> Iterator[tuple[str, ValuePath, str, Screen]]:
    """Yield what the manifest shows to people: blocks as writers and as readers see them, and all screens."""
    known = subject.report.components if subject.python and subject.report is not None else None
    for number, block in enumerate(subject.entries("blocks")):
        if known is None or block.id in known:
            where: ValuePath = ("blocks", number, "id")
            yield block.id, where, "a block in a page", simulated_host.page()
            yield block.id, where, "a block in edit mode", simulated_host.page(editable=True)
    for level, screen in subject.screens():
        name = getattr(screen, "component_id", None)
        if isinstance(name, str) and (known is None or name in known):
            drawn_on = simulated_host.configuration_screen(level, run.configurations)
            yield name, ("configurations", level, "componentId"), f"the {level} configuration", drawn_on
    for number, source in enumerate(subject.entries("content_sources")):
        name = source.configuration.component_id
        if known is None or name in known:
            where = ("contentSources", number, "configuration", "componentId")
            yield name, where, "the screen of a content source", simulated_host.content_source_screen()


def _refusal(project: Project, fault: ScriptFault, entry: str) -> Finding:
    file, line = fault.file or entry, fault.line or 1
    message = INSIDE.sub("", fault.message) + (f" ({fault.hint})" if fault.hint else "")
    if message.startswith(LOADING) and fault.line is None:
        message = f"{message.removesuffix('.')}: check the code that runs when the script is loaded"
    folder = project.script.parent if project.script.suffix == ".py" else project.folder
    source = fault.source or source_line(project.folder, folder / file, line)
    return Finding(file, line, fault.column or 1, message, source, "load-failed")


def _ordered(project: Project, findings: list[Finding]) -> list[Finding]:
    """Sort findings by file, the manifest first, and by place; what two ways of looking find is reported once."""
    unique = {
        (finding.file, finding.line, finding.column, finding.rule, finding.message): finding for finding in findings
    }
    manifest = project.file.name
    return sorted(
        unique.values(), key=lambda finding: (finding.file != manifest, finding.file, finding.line, finding.column)
    )
