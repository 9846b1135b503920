"""Explains YAML syntax errors, and what to write instead."""

from __future__ import annotations

import re

import yaml

from devkit.manifests.findings import line_of

Place = tuple[int, int]
Fault = tuple[Place, str]
INDENTATION = "the indentation does not match the lines above; align keys of the same level"

TABLE: tuple[tuple[str, bool, str], ...] = (
    (r"found character '\\t'", False, "tabs cannot be used for indentation; use spaces"),
    (r"found character '(.)' that cannot", False, "a text that begins with `{0}` must be in quotes"),
    (r"could not find expected ':'", True, "a key without a colon; write `key: value`"),
    (r"found unexpected end of stream", True, "the quote that begins here is never closed; close it"),
    (r"expected ',' or ']'", True, "the list that begins here is never closed; close it with `]`"),
    (r"expected ',' or '}'", True, "the mapping that begins here is never closed; close it with `}`"),
    (r"but found '<stream end>'", False, "the file ends too early; close what was opened, or write a value"),
    (r"undefined alias '(.+)'", False, "`*{0}` refers to no anchor; put a text that begins with `*` into quotes"),
    (r"second occurrence", False, "this anchor is set already; give one of the two another name"),
    (r"but found another document", False, "a manifest is one document; remove the line `---`"),
    (r"unknown escape character", False, "there is no such escape; write `\\\\` for a backslash, or use single quotes"),
    (r"expected alphabetic or numeric", False, "put a text that begins with `*` or `&` into quotes"),
    (r"sequence entries are not allowed", False, "a list cannot begin here; put `- ...` on lines below the key"),
    (r"expected <block end>|block mapping start|block sequence start", False, INDENTATION),
)
"""What PyYAML says -> whether the place is where the faulty part began, and what to do."""


def explained(error: yaml.MarkedYAMLError, text: str) -> Fault:
    """Return the place of a fault and a sentence with its cure."""
    problem = error.problem or error.context or "it cannot be read"
    if problem.startswith("mapping values are not allowed"):
        return _colon(_at(error.problem_mark, text), text)
    if "found '<scalar>'" in problem:
        return _text(_at(error.problem_mark, text), text)
    for pattern, at_begin, cure in TABLE:
        match = re.search(pattern, problem, re.DOTALL)
        if match is None:
            continue
        mark = (error.context_mark if at_begin else None) or error.problem_mark
        return _at(mark, text), cure.replace("{0}", match[1] if match.groups() else "")
    return _at(error.problem_mark or error.context_mark, text), f"{problem}; compare the line with those around it"


def _colon(place: Place, text: str) -> Fault:
    """Return a colon inside a text from a key that stands where none can."""
    before = (line_of(text, place[0]) or "")[: place[1] - 1]
    if re.search(r":\s", before):
        return place, 'a colon inside a text starts a new key; put the text into quotes: `description: "one: two"`'
    return (place[0], len(before) - len(before.lstrip()) + 1), INDENTATION


def _text(place: Place, text: str) -> Fault:
    """Tell what follows a closing quote from a text on a line of its own."""
    before = (line_of(text, place[0]) or "")[: place[1] - 1].rstrip()
    if before.endswith(("'", '"')):
        return place, "the text goes on after its quote; write '' for a quote inside single quotes"
    return place, INDENTATION


def reader_fault(error: yaml.reader.ReaderError, text: str) -> Fault:
    """Return the place of a character that YAML refuses."""
    before = text[: error.position]
    place = before.count("\n") + 1, len(before) - before.rfind("\n")
    return place, f"the character U+{ord(text[error.position]):04X} cannot be in a manifest; delete it"


def _at(mark: yaml.Mark | None, text: str) -> Place:
    """Return the place of a mark; one behind the last line becomes the end of what is written."""
    if mark is None:
        return 1, 1
    if mark.index >= len(text):
        written = text.rstrip()
        return written.count("\n") + 1, max(1, len(written) - written.rfind("\n"))
    return mark.line + 1, mark.column + 1
