"""YAML -> values as JSON has them, by the core schema of YAML 1.2.

Built from events, without recursion: an alias counts as much as what it stands for, so that a few lines cannot become
billions of values; `on` and dates stay texts, and keys are the texts that were written.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml._yaml import CParser

from runtime.services.openapi_specs.faults import LONG, Count, Unreadable, check_depth

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_ENDLESS = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_TAG = "tag:yaml.org,2002:"
_TEXTS = frozenset(("!", *(_TAG + name for name in ("str", "timestamp", "binary"))))
_PLAIN = frozenset((None, *(_TAG + name for name in ("int", "float", "bool", "null"))))
_CONTAINERS = frozenset((None, "!", _TAG + "map", _TAG + "seq"))
_LONGEST_NUMBER = 400
_NO_KEY = object()
_MERGE = object()


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for, with the number of values in it and how deeply they are nested."""

    value: Any
    size: int
    height: int


@dataclass(slots=True)
class _Open:
    """A mapping or sequence that has begun."""

    value: Any
    anchor: str | None
    nodes_before: int
    key: Any = _NO_KEY
    height: int = 0
    merged: list[dict[str, Any]] = field(default_factory=list)


def read_yaml(text: str, count: Count) -> Any:
    """Read a text with one document; raises Unreadable."""
    try:
        return _Reader(count).read(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise Unreadable(f"The YAML cannot be read: {error.problem or error.context}{place}.") from None
    except yaml.YAMLError as error:
        raise Unreadable(f"The YAML cannot be read: {error}") from None


class _Reader:
    def __init__(self, count: Count) -> None:
        self._count = count
        self._open: list[_Open] = []
        self._anchored: dict[str, _Anchored] = {}
        self._begun: set[str] = set()
        self._documents = 0
        self._result: Any = None

    def read(self, text: str) -> Any:
        parser = CParser(text.encode("utf-8", "surrogatepass"))
        try:
            while (event := parser.get_event()) is not None:
                self._take(event)
        finally:
            parser.dispose()
        return self._result

    def _take(self, event: yaml.Event) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._begin(event, {})
        elif kind is yaml.SequenceStartEvent:
            self._begin(event, [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._end()
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise Unreadable(f"The YAML has several documents; keep only one ({_place(event)}).")

    def _scalar(self, event: Any) -> None:
        size = 1 + len(event.value) // LONG
        self._count.add(size)
        check_depth(len(self._open))
        above = self._open[-1] if self._open else None
        if above is not None and above.key is _NO_KEY and type(above.value) is dict:
            plain = event.implicit[0] and event.tag is None
            above.key = _MERGE if plain and event.value == "<<" else event.value
            if event.anchor is not None:
                self._anchored[event.anchor] = _Anchored(event.value, size, 0)
            return
        value = _value(event)
        if event.anchor is not None:
            self._anchored[event.anchor] = _Anchored(value, size, 0)
        self._add(value, 0, event)

    def _begin(self, event: Any, value: Any) -> None:
        if event.tag not in _CONTAINERS:
            raise Unreadable(
                f"The YAML has a value with the tag `{event.tag}`, which JSON does not support ({_place(event)})."
            )
        above = self._open[-1] if self._open else None
        if above is not None and above.key is _NO_KEY and type(above.value) is dict:
            raise Unreadable(f"The YAML has a key that is a list or a mapping ({_place(event)}).")
        before = self._count.nodes
        self._count.add(1)
        check_depth(len(self._open))
        if event.anchor is not None:
            self._begun.add(event.anchor)
        self._open.append(_Open(value, event.anchor, before))

    def _end(self) -> None:
        ended = self._open.pop()
        if ended.merged:
            merged: dict[str, Any] = {}
            for one in reversed(ended.merged):  # the first one named wins, and what is written out over all
                merged.update(one)
            merged.update(ended.value)
            # In place: who asks for the anchor of this mapping gets the same object.
            ended.value.clear()
            ended.value.update(merged)
        if ended.anchor is not None:
            self._begun.discard(ended.anchor)
            size = self._count.nodes - ended.nodes_before
            self._anchored[ended.anchor] = _Anchored(ended.value, size, ended.height)
        self._add(ended.value, ended.height, None)

    def _alias(self, event: Any) -> None:
        if event.anchor in self._begun:
            raise Unreadable(f"The YAML alias `*{event.anchor}` contains itself ({_place(event)}).")
        known = self._anchored.get(event.anchor)
        if known is None:
            raise Unreadable(f"The YAML alias `*{event.anchor}` is not defined ({_place(event)}).")
        self._count.add(known.size)
        check_depth(len(self._open) + known.height)
        above = self._open[-1] if self._open else None
        if above is not None and above.key is _NO_KEY and type(above.value) is dict:
            if not isinstance(known.value, str):
                raise Unreadable(f"The YAML has a key that is not text ({_place(event)}).")
            above.key = known.value
            return
        self._add(known.value, known.height, event)

    def _add(self, value: Any, height: int, event: Any) -> None:
        if not self._open:
            self._result = value
            return
        above = self._open[-1]
        above.height = max(above.height, height + 1)
        if type(above.value) is list:
            above.value.append(value)
            return
        key, above.key = above.key, _NO_KEY
        if key is not _MERGE:
            above.value[key] = value
        elif type(value) is dict:
            above.merged.append(value)
        elif type(value) is list and all(type(one) is dict for one in value):
            above.merged.extend(value)
        else:
            where = f" ({_place(event)})" if event is not None else ""
            raise Unreadable(f"The YAML merges (`<<`) something that is not a mapping{where}.")


def _value(event: Any) -> Any:
    """Return the value of a scalar: one in quotes is a text."""
    text: str = event.value
    if event.tag in _TEXTS or (event.tag is None and not event.implicit[0]):
        return text
    if event.tag not in _PLAIN:
        raise Unreadable(
            f"The YAML has a value with the tag `{event.tag}`, which JSON does not support ({_place(event)})."
        )
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    first = text[0]
    if not (first.isdigit() or first in "+-."):
        return text
    if len(text) <= _LONGEST_NUMBER:
        return _number(text, event)
    return text


def _number(text: str, event: Any) -> Any:
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        value = float(text)
        if math.isfinite(value):
            return value
    elif _OCTAL.match(text):
        return int(text, 8)
    elif _HEXADECIMAL.match(text):
        return int(text, 16)
    elif not _ENDLESS.match(text):
        return text
    raise Unreadable(f"The YAML has the number `{text[:40]}`, which JSON does not support ({_place(event)}).")


def _place(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"
