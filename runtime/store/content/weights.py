"""About how many bytes a snapshot takes in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot

OF_ENTRY, OF_VALUE = 1000, 16
"""Bytes of an entry with its place in the lists and by its id and path, and of what a value takes beside itself."""


def weight_of(snapshot: Snapshot) -> int:
    """Estimate the bytes of a snapshot: pages may have a title alone, or variables of fifty thousand characters."""
    entries = [*snapshot.pages, *snapshot.files, *snapshot.reusable_contents]
    weight = OF_ENTRY * (len(entries) + 1) + _of_paths(snapshot) + _of_json(snapshot.variables)
    weight += sum(sys.getsizeof(file.name) for file in snapshot.files)
    weight += sum(sys.getsizeof(content.title) for content in snapshot.reusable_contents)
    weight += sum(_of_json(entry.git) for entry in entries if entry.git)
    return weight + sum(map(_of_texts, snapshot.pages))


def _of_paths(snapshot: Snapshot) -> int:
    """Estimate the paths, of which the widest character decides how many bytes each of the others takes."""
    widest = max((max(page.slug) for page in snapshot.pages if page.slug), default="")
    return snapshot.characters_of_paths * (4 if widest > "\uffff" else 2 if widest > "\xff" else 1)


def _of_texts(page: Page) -> int:
    weight = sys.getsizeof(page.title) + sys.getsizeof(page.description or "")
    for value in (page.variables, page.computed, page.target, page.cover, page.layout, page.former_paths):
        if value:
            weight += _of_json(value)
    return weight


def _of_json(value: Any) -> int:
    """Add up a value of JSON and what is in it, however deep."""
    weight, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        weight += OF_VALUE + sys.getsizeof(one)
        waiting += _inside(one)
    return weight


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
