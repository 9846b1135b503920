"""About how many bytes a snapshot takes in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot

OF_ENTRY, OF_VALUE, OF_CHARACTER = 1000, 200, 2
"""Bytes of an entry with its place in the lists and by its id and path, of a named value, of a character."""


def weight_of(snapshot: Snapshot) -> int:
    """Estimate the bytes of a snapshot: pages may have a title alone, or variables of fifty thousand characters."""
    entries = [*snapshot.pages, *snapshot.files, *snapshot.reusable_contents]
    characters = sum(len(file.name) for file in snapshot.files)
    characters += sum(len(content.title) for content in snapshot.reusable_contents)
    characters += sum(len(page.title) + len(page.description or "") for page in snapshot.pages)
    characters += snapshot.characters_of_paths
    weight = OF_ENTRY * (len(entries) + 1) + OF_CHARACTER * characters + _of_values(snapshot.variables)
    weight += sum(_of_values(entry.git) for entry in entries if entry.git)
    return weight + sum(map(_of_details, snapshot.pages))


def _of_details(page: Page) -> int:
    """Estimate what few pages have."""
    weight = 0
    for values in (page.variables, page.computed, page.target, page.cover, page.layout):
        if values:
            weight += _of_values(values)
    if page.former_paths:
        weight += sum(OF_VALUE + OF_CHARACTER * len(path) for path in page.former_paths)
    return weight


def _of_values(values: Mapping[str, Any]) -> int:
    return sum(OF_VALUE + OF_CHARACTER * (len(name) + len(str(value))) for name, value in values.items())
