"""How large the document of a page may be: all that is done with one takes as long as it has parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_DOCUMENT_PARTS = 100_000
"""Objects and lists of a document: blocks, inlines, texts, leaves, marks, and whatever is in their data; and the cells
of tables, as many as columns times records."""
MAX_DOCUMENT_CHARACTERS = 4_000_000
"""Characters of all texts of a document, with the names in it."""
ADVICE = "split it into several pages"


class DocumentSize(NamedTuple):
    """The objects, arrays and cells of a document, and the characters of all texts and names in it."""

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
            parts += _cells(value)
            value = value.values()
        for inner in value:
            if isinstance(inner, str):
                characters += len(inner)
            elif isinstance(inner, (dict, list)):
                waiting.append(inner)
    return DocumentSize(parts, characters)


def _cells(node: Mapping[str, Any]) -> int:
    """Count the cells of a table; 0 for everything else."""
    data = node.get("data")
    if node.get("type") != "table" or not isinstance(data, dict):
        return 0
    definition, records = data.get("definition"), data.get("records")
    return len(definition) * len(records) if isinstance(definition, dict) and isinstance(records, dict) else 0


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
