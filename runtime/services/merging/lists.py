"""The three-way merge of a list of entries and their content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from runtime.services.merging import conflicts
from runtime.services.merging.conflicts import Conflict
from runtime.services.merging.entries import WHAT, Document, merge_entry, title_of, touched
from runtime.store.content.entries import Entry
from runtime.store.content.pieces import pack

E = TypeVar("E", bound=Entry)


@dataclass(slots=True)
class MergedList(Generic[E]):
    """The merged entries by id, unordered, and the new documents by name, packed."""

    entries: dict[str, E] = field(default_factory=dict)
    documents: dict[str, bytes] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)


def merge_list(
    base: Mapping[str, E], ours: Mapping[str, E], theirs: Mapping[str, E], document: Document
) -> MergedList[E]:
    """Merge entries by their ids.

    An entry that one side deleted is removed if the other did not touch it; otherwise it is a conflict.
    """
    merged: MergedList[E] = MergedList()
    for id_ in dict.fromkeys((*base, *ours, *theirs)):
        former, mine, other = base.get(id_), ours.get(id_), theirs.get(id_)
        if mine is not None and other is not None:
            made = merge_entry(former, mine, other, document)
            merged.entries[id_] = made.entry
            merged.conflicts += made.conflicts
            if made.document is not None:
                merged.documents[made.entry.document] = pack(made.document)[1]
            continue
        left = mine or other
        if left is None:
            continue
        if former is None:
            merged.entries[id_] = left
        elif touched(former, left):
            merged.conflicts.append(conflicts.deleted(WHAT[type(former)], id_, title_of(former)))
    return merged
