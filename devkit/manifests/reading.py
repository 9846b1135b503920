"""Reads a manifest's text: its values, and the place of every key and value in it."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from devkit.files import project_files
from devkit.files.own_files import content_of
from devkit.manifests.findings import Finding, InvalidProject, Level, line_of
from devkit.manifests.yaml_faults import explained, reader_fault
from devkit.terminal.output import Problem
from runtime.contract.unstorable import UNSTORABLE

ValuePath = tuple[str | int, ...]
Place = tuple[int, int]

MAX_BYTES = 1_000_000
MAX_VALUES = 20_000
DEEPEST = 50
MERGE = "tag:yaml.org,2002:merge"
ENCODINGS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


@dataclass(slots=True)
class ManifestText:
    """A manifest as its author wrote it; lines and columns count from 1.

    `keys` and `values` map a path inside the manifest to the place of its key and of its value; entries of lists have
    values only. `written` maps it to a scalar as it stands in the text, such as `yes` for true. `findings` are faults
    of the text itself, which did not keep it from being read.
    """

    file: str
    text: str
    value: Any = None
    keys: dict[ValuePath, Place] = field(default_factory=dict)
    values: dict[ValuePath, Place] = field(default_factory=dict)
    written: dict[ValuePath, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def at_key(self, where: ValuePath, message: str, rule: str = "", level: Level = "error") -> Finding:
        """Say that something is wrong with a key, or with an entry of a list."""
        while where and where not in self.keys and where not in self.values:
            where = where[:-1]
        return self.at(self.keys.get(where) or self.values.get(where, (1, 1)), message, rule, level)

    def at_value(self, where: ValuePath, message: str, rule: str = "", level: Level = "error") -> Finding:
        """Say that something is wrong with a value."""
        while where and where not in self.values:
            where = where[:-1]
        return self.at(self.values.get(where, (1, 1)), message, rule, level)

    def at(self, place: Place, message: str, rule: str = "", level: Level = "error") -> Finding:
        """Say that something is wrong at a place."""
        line, column = place
        return Finding(self.file, line, column, message, line_of(self.text, line), rule, level)


def read(file: Path) -> ManifestText:
    """Read a manifest; raises InvalidProject for text that is not a manifest, Problem for a file that is not read.

    Errors show lines of it: one that is a link to a file elsewhere, which a repository may hold, would show those.
    """
    real = file.resolve()
    if not real.is_relative_to(project_files.root_of(file.parent)):
        raise Problem(f"{file.name} is a link to {real}, outside the project", hint="replace it with a regular file")
    try:
        content = content_of(file, MAX_BYTES, "a manifest")
    except OSError as error:
        raise Problem(f"{file} cannot be read: {error.strerror}") from error
    return parse(file.name, _decoded(file.name, content))


def parse(file: str, text: str) -> ManifestText:
    """Read the text of a manifest; raises InvalidProject where it cannot be understood."""
    manifest = ManifestText(file, text)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        if node is None:
            raise InvalidProject(
                [manifest.at((1, 1), "the manifest is empty; begin with `name: my-integration`", "manifest-yaml")]
            )
        manifest.value = _Reading(manifest).value(node)
    except yaml.MarkedYAMLError as error:
        place, message = explained(error, text)
        raise InvalidProject([manifest.at(place, f"not valid YAML: {message}", "manifest-yaml")]) from None
    except yaml.reader.ReaderError as error:
        place, message = reader_fault(error, text)
        raise InvalidProject([manifest.at(place, f"not valid YAML: {message}", "manifest-yaml")]) from None
    except RecursionError:
        raise InvalidProject([manifest.at((1, 1), _too_deep(), "manifest-yaml")]) from None
    if not isinstance(manifest.value, dict):
        message = "the manifest must be a mapping; write `name: my-integration` and the other keys, one on each line"
        raise InvalidProject([manifest.at(manifest.values[()], message, "manifest-yaml")])
    return manifest


def _decoded(file: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        kind = next((name for mark, name in ENCODINGS.items() if content.startswith(mark)), None)
        what = f"the file is {kind}" if kind else f"the byte {content[error.start]:#04x} is not UTF-8"
        source = None if kind else line_of(content.decode("utf-8", "replace"), line)
        raise InvalidProject(
            [Finding(file, line, column, f"{what}; save the manifest as UTF-8", source, "manifest-yaml")]
        ) from None


def _too_deep() -> str:
    return f"the manifest is nested deeper than {DEEPEST} levels; ten levels are enough for any manifest"


class _Reading:
    """One walk over the nodes of a manifest, which notes places and gives the values."""

    def __init__(self, manifest: ManifestText) -> None:
        self._made = manifest
        self._left = MAX_VALUES
        self._scalars = yaml.SafeLoader("")

    def value(self, node: yaml.Node, path: ValuePath = ()) -> Any:
        """Return the value of a node; raises InvalidProject for what unfolds beyond all measure."""
        manifest, place = self._made, _place(node)
        manifest.values[path] = place
        self._left -= 1
        if self._left < 0:
            message = f"the manifest expands to more than {MAX_VALUES} values; write them out, without `&` and `*`"
            raise InvalidProject([manifest.at(place, message, "manifest-yaml")])
        if len(path) > DEEPEST:
            raise InvalidProject([manifest.at(place, _too_deep(), "manifest-yaml")])
        if isinstance(node, yaml.ScalarNode):
            self._whole(node)
            manifest.written[path] = node.value
            return self._scalar(node)
        if not node.tag.startswith("tag:yaml.org,2002:"):
            self._refuse(place, f"the tag `{node.tag}` is not allowed here; remove it")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        return [self.value(inner, (*path, number)) for number, inner in enumerate(node.value)]

    def _mapping(self, node: yaml.MappingNode, path: ValuePath) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        own: set[str] = set()
        for key, inner, merged in self._pairs(node, len(path)):
            if not isinstance(key, yaml.ScalarNode):
                self._refuse(_place(key), "a key must be text, not a list or a mapping")
                continue
            self._whole(key)
            name = key.value
            if merged:  # what is in the mapping itself wins over what is merged into it
                if name not in mapping:
                    self._made.keys[(*path, name)] = _place(key)
                    mapping[name] = self.value(inner, (*path, name))
                continue
            if name in own:
                first = self._made.keys[(*path, name)][0]
                message = f"`{name}` appears twice; it is already on line {first}: remove one of the two"
                self._made.findings.append(self._made.at(_place(key), message, "manifest-duplicate-key"))
                continue
            own.add(name)
            self._made.keys[(*path, name)] = _place(key)
            mapping[name] = self.value(inner, (*path, name))
        return mapping

    def _pairs(self, node: yaml.MappingNode, depth: int) -> Iterator[tuple[yaml.Node, yaml.Node, bool]]:
        """Yield keys and values: the mapping's own first, then those merged in with `<<`."""
        later: list[yaml.Node] = []
        for key, inner in node.value:
            if key.tag == MERGE:
                later += inner.value if isinstance(inner, yaml.SequenceNode) else [inner]
            else:
                yield key, inner, False
        for mapping_node in later:
            if not isinstance(mapping_node, yaml.MappingNode) or depth > DEEPEST:
                self._refuse(
                    _place(mapping_node), "`<<` can only merge mappings; write `<<: *name` with the anchor of a mapping"
                )
                continue
            for key, inner, _ in self._pairs(mapping_node, depth + 1):
                yield key, inner, True

    def _whole(self, node: yaml.ScalarNode) -> None:
        """Report what no text can have, and go on without: YAML can escape it, and nothing can be written with it."""
        if (found := UNSTORABLE.search(node.value)) is not None:
            escape = f"\\u{ord(found[0]):04x}"
            what = f"`{escape}` is not a valid character; write the character itself, or remove it"
            self._refuse(_place(node), what)
            node.value = UNSTORABLE.sub("\ufffd", node.value)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return self._scalars.construct_object(node)
        except yaml.constructor.ConstructorError:
            self._refuse(_place(node), f"the tag `{node.tag}` is not allowed here; remove it")
        except ValueError:
            self._refuse(_place(node), f"`{node.value}` looks like a date or number but is neither; put it into quotes")
        return node.value

    def _refuse(self, place: Place, message: str) -> None:
        self._made.findings.append(self._made.at(place, message, "manifest-yaml"))


def _place(node: yaml.Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1
