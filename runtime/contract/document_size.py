"""How large the document of a page may be: all that is done with one takes as long as it has parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_DOCUMENT_PARTS = 100_000
"""Objects and lists of a document: blocks, inlines, texts, leaves, marks, and whatever is in their data; and of tables
the cells, as many as columns times records, and each of several values in one."""
MAX_DOCUMENT_CHARACTERS = 4_000_000
"""Characters of all texts of a document, with the names in it."""
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
            parts += _cells_and_values(value)
            value = value.values()
        for inner in value:
            if isinstance(inner, str):
                characters += len(inner)
            elif isinstance(inner, (dict, list)):
                waiting.append(inner)
    return DocumentSize(parts, characters)


def _cells_and_values(node: Mapping[str, Any]) -> int:
    """Count the cells of a table, and the values of those that have several, each shown by a name; 0 for all else."""
    data = node.get("data")
    if node.get("type") != "table" or not isinstance(data, dict):
        return 0
    definition, records = data.get("definition"), data.get("records")
    if not isinstance(definition, dict) or not isinstance(records, dict):
        return 0
    cells = (record["values"].values() for record in records.values() if _has_values(record))
    return len(definition) * len(records) + sum(len(cell) for row in cells for cell in row if isinstance(cell, list))


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
