"""How large the document of a page may be: all that is done with one takes as long as it has parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from runtime.contract.document_tables import option_labels

MAX_DOCUMENT_PARTS = 100_000
"""Objects and lists of a document: blocks, inlines, texts, leaves, marks, and whatever is in their data; and of tables
the cells, as many as columns times records, and each of several values in one."""
LINK_PARTS = 5
"""Parts that a link in a text has, beside its target: a cell that shows one has as many."""
MAX_DOCUMENT_CHARACTERS = 4_000_000
"""Characters of all texts of a document, with the names in it."""
_LINKING = ("users", "files", "content-ref", "image")
ADVICE = "split it into several pages"


class DocumentSize(NamedTuple):
    """The objects, arrays, cells and their values of a document, and the characters of all texts and names in it."""

    parts: int
    characters: int


def size_of(document: Mapping[str, Any]) -> DocumentSize:
    """Measure a document, which may be any JSON object."""
    parts = characters = 0
    waiting: list[Any] = [document]
    while waiting:
        value = waiting.pop()
        parts += 1
        if isinstance(value, dict):
            characters += sum(map(len, value))
            cells = _cells(value)
            parts, characters = parts + cells.parts, characters + cells.characters
            value = value.values()
        for inner in value:
            if isinstance(inner, str):
                characters += len(inner)
            elif isinstance(inner, (dict, list)):
                waiting.append(inner)
    return DocumentSize(parts, characters)


def _cells(node: Mapping[str, Any]) -> DocumentSize:
    """Measure what the cells of a table show beyond what they hold: names of options, and links."""
    data = node.get("data")
    if node.get("type") != "table" or not isinstance(data, dict):
        return DocumentSize(0, 0)
    definition, records = data.get("definition"), data.get("records")
    if not isinstance(definition, dict) or not isinstance(records, dict):
        return DocumentSize(0, 0)
    parts, characters = len(definition) * len(records), 0
    kinds = {name: column.get("type") for name, column in definition.items() if isinstance(column, dict)}
    labels = {name: option_labels(definition[name]) for name, kind in kinds.items() if kind == "select"}
    # Cell by cell of the records: to look at each column in each record may take forever.
    for name, cell in (held for record in records.values() if _has_values(record) for held in record["values"].items()):
        values = cell if isinstance(cell, list) else [] if cell is None else [cell]
        parts += len(values) if values is cell else 0
        if name in labels:
            characters += sum(len(labels[name].get(one, "")) for one in values if isinstance(one, str))
        elif kinds.get(name) in _LINKING:
            parts += LINK_PARTS * len(values)
    return DocumentSize(parts, characters)


def _has_values(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("values"), dict)


def size_problem(document: Mapping[str, Any]) -> str | None:
    """Return what to say of a document that is too large for a page; None for others."""
    size = size_of(document)
    if size.parts > MAX_DOCUMENT_PARTS:
        return (
            f"has {size.parts:,} parts (blocks, texts, marks and other objects and arrays), and a document has at most"
            f" {MAX_DOCUMENT_PARTS:,}; {ADVICE}"
        )
    if size.characters > MAX_DOCUMENT_CHARACTERS:
        return f"has {size.characters:,} characters, and a document has at most {MAX_DOCUMENT_CHARACTERS:,}; {ADVICE}"
    return None
