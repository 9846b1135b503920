"""Validates the values of a manifest: each error becomes a message with its place and its fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from devkit.manifests import forms, keys
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ManifestText, ValuePath
from devkit.terminal.wording import all_nearest, counted, dotted, kind_of, shown
from runtime.contract.manifest import ProjectManifest
from runtime.contract.unstorable import UNPAIRED_SURROGATE

EXAMPLES = {
    "name": "name: my-integration",
    "title": "title: My integration",
    "description": "description: What it does, in one sentence.",
    "summary": "summary: What it does, in a few sentences.",
    "script": "script: integration.py",
    "scopes": "scopes: []",
    "categories": "categories: [content]",
    "icon": "icon: ./assets/icon.png",
    "organization": "organization: my-company",
    "previewImages": "previewImages: [./assets/preview.png]",
    "envs": "envs: {staging: {visibility: private}}",
    "secrets": "secrets: {API_KEY: '${{ env.API_KEY }}'}",
    "blocks": "blocks: [{id: my-block, title: My block}]",
    "contentSources": ("contentSources: [{id: my-source, title: My source, configuration: {componentId: my-setup}}]"),
    "externalLinks": "externalLinks: [{label: Help, url: https://example.com}]",
    "configurations": "configurations: {account: {componentId: my-settings}}",
    "configuration": "configuration: {componentId: my-setup}",
    "componentId": "componentId: my-settings",
    "properties": "properties: {token: {type: string, title: Token}}",
    "required": "required: [token]",
    "type": "type: string",
    "enum": "enum: [one, two]",
    "callback_url": "callback_url: /connect",
    "completion_url": "completion_url: /choices",
    "button_text": "button_text: Connect",
    "id": "id: my-block",
    "url": "url: https://example.com",
    "label": "label: Help",
    "urlUnfurl": "urlUnfurl: ['https://example.com/*']",
    "markdown": "markdown: {codeblock: diagram, body: content}",
    "codeblock": "codeblock: diagram",
    "body": "body: content",
    "contentSecurityPolicy": "contentSecurityPolicy: {script-src: \"'self'\"}",
}
"""Key -> a line that shows how it is written."""
PATTERNS = {"name": ("letters, digits, `-`, `_` and `.`", "my-integration")}
FORMS = ("ConfigurationSchema", "ConfigurationComponent")


@dataclass(frozen=True, slots=True)
class Fault:
    """One error of pydantic: its place in the manifest, the value there, and what pydantic knows of it.

    `written` is the value as the author wrote it, "" where it is no scalar or nothing is there.
    """

    where: ValuePath
    value: Any
    kind: str
    about: dict[str, Any]
    written: str = ""

    @property
    def name(self) -> str:
        """The place as it is written in messages."""
        return f"`{dotted(self.where)}`"

    @property
    def example(self) -> str:
        """A line that shows how the value is written, as the end of a sentence."""
        key = next((part for part in reversed(self.where) if isinstance(part, str)), "")
        return f"write `{EXAMPLES[key]}`" if key in EXAMPLES else "write another"


def judge(text: ManifestText) -> tuple[ProjectManifest | None, list[Finding]]:
    """Return the manifest, None where it has errors, and all findings in the order of the text."""
    findings = [*text.findings, *forms.findings(text), *_undecoded(text, text.value)]
    manifest: ProjectManifest | None = None
    faults: list[Fault] = []
    refused: ValidationError | None = None
    try:
        manifest = ProjectManifest.model_validate(text.value)
    except ValidationError as error:
        faults, refused = list(_faults(text, error)), error
    missing = {fault.where for fault in faults if fault.kind == "missing"}
    unknown, replaced = keys.unknown(text, missing)
    findings += unknown
    reported = {(finding.line, finding.column) for finding in findings}
    plain = [_finding(text, fault) for fault in faults if fault.where not in replaced]
    # What looks at several values knows better what was meant than what looks at one.
    findings += [
        finding
        for finding in plain
        if finding.rule == "manifest-missing" or (finding.line, finding.column) not in reported
    ]
    if refused is not None and not any(finding.level == "error" for finding in findings):
        findings += _as_told(text, refused)
    ordered = sorted(set(findings), key=lambda finding: (finding.line, finding.column, finding.message))
    return (None if any(finding.level == "error" for finding in ordered) else manifest), ordered


def _as_told(text: ManifestText, error: ValidationError) -> Iterator[Finding]:
    """Yield what the model says of values that no rule here knows better: a refusal must have a reason."""
    for detail in error.errors(include_url=False):
        where, _, _ = _locate(text.value, detail["loc"], detail["type"] == "missing")
        said = detail["msg"].removeprefix("Value error, ")
        name = Fault(where, None, detail["type"], {}).name if where else "the manifest is refused:"
        yield text.at_value(where, f"{name} {said}", "manifest-type")


def _undecoded(text: ManifestText, value: Any, where: ValuePath = ()) -> Iterator[Finding]:
    """Yield values with bytes that are not UTF-8, which a variable of the environment can have."""
    if isinstance(value, str) and UNPAIRED_SURROGATE.search(value):
        message = f"`{dotted(where)}` has a byte that is not UTF-8; set the variable again"
        yield text.at_value(where, message, "manifest-type")
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _undecoded(text, inner, (*where, key))


def _faults(text: ManifestText, error: ValidationError) -> Iterator[Fault]:
    """Yield the errors with places inside the manifest; of a union those of the member that was meant."""
    paths: set[ValuePath] = set()
    for detail in error.errors(include_url=False):
        where, value, is_relevant = _locate(text.value, detail["loc"], detail["type"] == "missing")
        # manifest_forms reports errors of values, all at once.
        if not is_relevant or where in paths or detail["type"] == "value_error":
            continue
        paths.add(where)
        yield Fault(where, value, detail["type"], detail.get("ctx") or {}, text.written.get(where, ""))


def _locate(values: Any, loc: tuple[int | str, ...], missing: bool) -> tuple[ValuePath, Any, bool]:
    """Follow a location into the values, leaving out the names of a union's members."""
    where: list[str | int] = []
    for number, part in enumerate(loc):
        if part in FORMS and isinstance(values, dict) and part != FORMS["componentId" in values]:
            return (), None, False
        within = part in values if isinstance(values, dict) else isinstance(values, list) and isinstance(part, int)
        if within:
            values = values[part]
            where.append(part)
        elif missing and number == len(loc) - 1:
            where.append(part)
    return tuple(where), values, True


def _finding(text: ManifestText, fault: Fault) -> Finding:
    if fault.kind == "missing":
        message = f"{fault.name} is missing; {fault.example.replace('write', 'add')}"
        return text.at_key(fault.where[:-1], message, "manifest-missing")
    rule, tell = KINDS.get(fault.kind, ("manifest-type", _other))
    return text.at_value(fault.where, tell(fault), rule)


def _choice(fault: Fault) -> str:
    known = fault.about["expected"].replace(" or ", ", ").replace("'", "").split(", ")
    if not isinstance(fault.value, str):
        return f"{fault.name} must be one of {', '.join(known)}; it is {kind_of(fault.value)}: write `{known[0]}`"
    close = all_nearest(fault.value, known)
    cure = f": write `{close[0]}`" if len(close) == 1 else ""
    if len(close) > 1:
        cure = f": did you mean {', '.join(f'`{name}`' for name in close[:-1])} or `{close[-1]}`?"
    return f"{fault.name} must be one of {', '.join(known)}; it is `{shown(fault.value)}`{cure}"


def _text(fault: Fault) -> str:
    cure = f'write "{shown(fault.written)}" in quotes' if fault.written else fault.example
    return f"{fault.name} must be text; it is {kind_of(fault.value)}: {cure}"


def _list(fault: Fault) -> str:
    cure = f"write `[{shown(fault.value)}]`" if isinstance(fault.value, str) and fault.value else fault.example
    return f"{fault.name} must be a list; it is {kind_of(fault.value)}: {cure}"


def _mapping(fault: Fault) -> str:
    return f"{fault.name} must be a mapping; it is {kind_of(fault.value)}: {fault.example}"


def _short(fault: Fault) -> str:
    least, size = fault.about["min_length"], len(fault.value)
    if isinstance(fault.value, str):
        if size == 0:
            return f"{fault.name} is empty; {fault.example}"
        return f"{fault.name} has {counted(size, 'character', 'characters')}, and needs {least}: write a longer one"
    return f"{fault.name} has {counted(size, 'entry', 'entries')}, and needs {least}: add some"


def _long(fault: Fault) -> str:
    most, size = fault.about["max_length"], len(fault.value)
    one, many = ("character", "characters") if isinstance(fault.value, str) else ("entry", "entries")
    over = size - most
    cure = f"shorten it by {over}" if isinstance(fault.value, str) else f"remove {over}"
    return f"{fault.name} has {counted(size, one, many)}; at most {most} are allowed: {cure}"


def _pattern(fault: Fault) -> str:
    allowed, example = PATTERNS.get(str(fault.where[-1]), (f"what matches {fault.about['pattern']}", "my-integration"))
    cleaned = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "-" for char in fault.value)
    cure = cleaned.strip("-").lower() or example
    return f"{fault.name} may contain {allowed} only; it is `{shown(fault.value)}`: write `{cure}`"


def _other(fault: Fault) -> str:
    return f"{fault.name} cannot be {kind_of(fault.value)}: {fault.example}"


KINDS: dict[str, tuple[str, Callable[[Fault], str]]] = {
    "literal_error": ("manifest-choice", _choice),
    "string_type": ("manifest-type", _text),
    "list_type": ("manifest-type", _list),
    "dict_type": ("manifest-type", _mapping),
    "model_type": ("manifest-type", _mapping),
    "too_short": ("manifest-length", _short),
    "string_too_short": ("manifest-length", _short),
    "too_long": ("manifest-length", _long),
    "string_too_long": ("manifest-length", _long),
    "string_pattern_mismatch": ("manifest-pattern", _pattern),
}
"""Pydantic's name of an error -> the rule it breaks, and what says so."""
