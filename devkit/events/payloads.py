"""Hand-written payloads: parsed with the position of each value, validated for their type, opened in an editor."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import yaml

from devkit.events.types import LISTED, unknown
from devkit.manifests.findings import Finding
from devkit.manifests.reading import ValuePath
from devkit.terminal.output import Mistake, Problem


class _Loader(yaml.SafeLoader):
    """Reads only types that JSON has; dates stay strings."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(slots=True)
class ParsedText:
    """A parsed text: its value, and the line and column of everything in it."""

    file: str
    value: Any
    places: dict[ValuePath, tuple[int, int]] = field(default_factory=dict)

    def finding(self, where: ValuePath, message: str) -> Finding:
        """Make a finding about a value."""
        while where and where not in self.places:
            where = where[:-1]
        line, column = self.places.get(where, (1, 1))
        return Finding(self.file, line, column, message)


def read(path: str) -> ParsedText:
    """Parse a JSON or YAML file; raises Problem with the position."""
    try:
        return parse(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error}") from error


def parse(text: str, file: str) -> ParsedText:
    """Parse JSON or YAML; raises Problem with the position."""
    places: dict[ValuePath, tuple[int, int]] = {}
    try:
        node = yaml.compose(text, _Loader)
        if node is not None:
            _mark_places(node, (), places)
        value = yaml.load(text, _Loader)
        json.dumps(value, allow_nan=False)
    except yaml.MarkedYAMLError as error:
        return ParsedText(file, _json(text, file, error))
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise Problem(f"{file}:1:1: is not JSON, or YAML that JSON can express: {error}") from None
    return ParsedText(file, value, {**places, (): (1, 1)})


def _mark_places(node: yaml.Node, path: ValuePath, places: dict[ValuePath, tuple[int, int]]) -> None:
    """Record the line and column of everything in a node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, str(key.value))
            places[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
            _mark_places(value, inner, places)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            places[(*path, number)] = (value.start_mark.line + 1, value.start_mark.column + 1)
            _mark_places(value, (*path, number), places)


def _json(text: str, file: str, error: yaml.MarkedYAMLError) -> Any:
    """Parse text that is not YAML as JSON, which may be indented with tabs; raises Problem with YAML's position."""
    try:
        return json.loads(text)
    except ValueError:
        place = error.problem_mark or error.context_mark
        line, column = (place.line + 1, place.column + 1) if place else (1, 1)
        raise Problem(f"{file}:{line}:{column}: is not JSON or YAML: {error.problem or error.context}") from None


def read_object(written: ParsedText) -> dict[str, Any]:
    """Return a parsed object; raises Problem for any other type."""
    if not isinstance(written.value, dict):
        raise Problem(f"{written.file} must contain a JSON object")
    return written.value


def check(written: ParsedText, where: ValuePath = ()) -> list[Finding]:
    """Validate an event for its type; returns findings, in text order."""
    from pydantic import ValidationError

    from runtime.contract.events import EVENTS  # the models take longer to load than most commands to run
    from runtime.contract.validation import place_of, words

    event = written.value
    for key in where:
        event = event[key]
    if not isinstance(event, dict):
        return [written.finding(where, "an event is a mapping that begins with `type: ...`")]
    kind = event.get("type")
    model = EVENTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        wrong = unknown(kind) if isinstance(kind, str) else f"write the type of the event; {LISTED}"
        return [written.finding((*where, "type"), f"type: {wrong}")]
    try:
        model.model_validate(event)
    except ValidationError as error:
        findings = []
        for fault in error.errors(include_url=False):
            loc = tuple(place_of(fault, event))
            name = ".".join(map(str, loc))
            message = f"`{name}` is missing" if fault["type"] == "missing" else f"{name}: {words(fault)}"
            findings.append(written.finding((*where, *loc), message))
        return sorted(findings, key=lambda finding: (finding.line, finding.column))
    return []


def waits(kind: str) -> bool:
    """Return whether somebody waits for the answer to events of a type."""
    from runtime.contract.events import EVENTS

    return EVENTS[kind].waits


def refuse(findings: list[Finding], cure: str = "") -> None:
    """Raise Problem with the first finding, if there is one."""
    if findings:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise Problem(findings[0].sentence + more + (f"; {cure}" if cure else ""))


class _Dumper(yaml.SafeDumper):
    """A YAML dumper that also writes subclasses of dict, such as the objects of a host's answer."""


_Dumper.add_multi_representer(dict, yaml.SafeDumper.represent_dict)


def dump(value: Any) -> str:
    """Format a value as readable YAML."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


def edit(payload: dict[str, Any]) -> dict[str, Any]:
    """Open a payload in the editor and validate the result; raises Problem, and keeps an invalid text."""
    with tempfile.NamedTemporaryFile(
        "w", prefix=f"{payload['type']}-", suffix=".yaml", encoding="utf-8", delete=False
    ) as out:
        out.write("# Save and close to send this event; delete everything to send nothing.\n" + dump(payload))
    file = Path(out.name)
    try:
        click.edit(filename=out.name)
    except click.ClickException as error:
        file.unlink()
        raise Problem(f"{error.format_message()}; set EDITOR to an editor that works, nothing was sent") from None
    try:
        written = read(out.name)
        if written.value is not None:
            refuse(check(written))
    except Problem as problem:
        cure = f"your text is kept; fix it and send it with `devkit trigger {payload['type']} --body {out.name}`"
        raise Problem(problem.sentence, hint=cure, **problem.more) from None
    file.unlink()
    if written.value is None:
        raise Problem("nothing was sent: the text is empty")
    return read_object(written)


def assignment(text: str) -> tuple[list[str], Any]:
    """Read one `key=value`; dots separate nested keys, the value is JSON or else a string. Raises Mistake."""
    key, separator, written = text.partition("=")
    if not separator or not all(key.split(".")):
        raise Mistake(f"--set {text}: write key=value, or key.inner=value")
    try:
        value = json.loads(written)
    except ValueError:
        value = written
    return key.split("."), value


def change(payload: dict[str, Any], text: str) -> None:
    """Apply one `key=value`; raises Problem."""
    (*parents, last), value = assignment(text)
    place = payload
    for parent in parents:
        inner = place.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise Problem(f"--set {text}: {parent} is not an object")
        place = inner
    place[last] = value
