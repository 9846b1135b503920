"""The three-way merge of revisions of a space: ours and theirs, since their common base.

- Entries are the same by their ids, variables by their names. What only one side changed is taken, and the same change
  on both sides is one. The same field changed differently is a conflict. Layout and variables of a page merge name by
  name, documents block by block (`documents`). Of two times of the last change the later one stays; what machines keep
  about an entry (`git`, the seed of computed content, the time it was made) is theirs unless only ours changed.
- What one side deleted is gone if the other touched neither it nor anything below it; another order does not count as
  touched. Deleting what the other side changed, also further below, or added something to, is a conflict.
- A move merges with a change. Two moves of a page into different pages are a conflict, and so are moves that put pages
  inside of each other, and a page put into one that became a link.
- Siblings that neither side moved keep their order, and the others stand between them where they were put: theirs for
  what theirs moved, else ours. At one place ours come before theirs.
- If siblings have the same slug after the merge, ours keeps it, and the other one gets the next free
  number: `guide-2`.
- With one conflict there is no merged revision at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from runtime.services.merging import conflicts
from runtime.services.merging.conflicts import Conflict
from runtime.services.merging.entries import Document
from runtime.services.merging.lists import MergedList, merge_list
from runtime.services.merging.ordering import merge_order
from runtime.services.merging.three_way import BothChanged, pick, pick_by_name
from runtime.services.merging.tree import merge_pages
from runtime.store.content.entries import Entry
from runtime.store.content.pieces import Packed
from runtime.store.content.snapshot import Snapshot

E = TypeVar("E", bound=Entry)


@dataclass(frozen=True, slots=True)
class Merge:
    """The result of a merge: a snapshot with its new documents, or conflicts."""

    snapshot: Snapshot | None
    documents: Sequence[Mapping[str, Any]] = ()
    conflicts: Sequence[Conflict] = ()


def merge_snapshots(base: Snapshot, ours: Snapshot, theirs: Snapshot, document: Document) -> Merge:
    """Merge two versions of the content of a space.

    `document` loads a document by name, and is called only for those that both sides changed; its exceptions propagate.
    New documents are stored under their `name_of`.
    """
    try:
        return Merge(pick(base, ours, theirs))
    except BothChanged:
        pass
    pages = merge_pages(base, ours, theirs, document)
    files = merge_list(base.file_by_id, ours.file_by_id, theirs.file_by_id, document)
    contents = merge_list(
        base.reusable_content_by_id, ours.reusable_content_by_id, theirs.reusable_content_by_id, document
    )
    variables, disputed = pick_by_name(base.variables, ours.variables, theirs.variables)
    found = [
        *pages.conflicts,
        *files.conflicts,
        *contents.conflicts,
        *(conflicts.variable(name, name not in ours.variables or name not in theirs.variables) for name in disputed),
    ]
    if found:
        return Merge(None, (), found)
    snapshot = Snapshot(
        [*pages.entries.values()],
        _in_order(files, base.files, ours.files, theirs.files),
        _in_order(contents, base.reusable_contents, ours.reusable_contents, theirs.reusable_contents),
        variables,
    )
    return Merge(snapshot, Packed((pages.documents | contents.documents).values()))


def _in_order(merged: MergedList[E], *lists: Sequence[E]) -> list[E]:
    base, ours, theirs = ([entry.id for entry in entries if entry.id in merged.entries] for entries in lists)
    return [merged.entries[id_] for id_ in merge_order(base, ours, theirs)]
