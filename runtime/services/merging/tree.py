"""The three-way merge of the page tree: parents, order and slugs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from runtime.services.merging import conflicts
from runtime.services.merging.conflicts import Conflict
from runtime.services.merging.entries import Document, title_of
from runtime.services.merging.lists import MergedList, merge_list
from runtime.services.merging.ordering import merge_order
from runtime.services.merging.three_way import BothChanged, pick
from runtime.store.content.entries import HOLDS_PAGES, Page
from runtime.store.content.snapshot import Snapshot, in_order


def merge_pages(base: Snapshot, ours: Snapshot, theirs: Snapshot, document: Document) -> MergedList[Page]:
    """Merge the pages of three revisions; without conflicts they come in the order of a snapshot."""
    merged = merge_list(base.page_by_id, ours.page_by_id, theirs.page_by_id, document)
    disputed = {conflict.id for conflict in merged.conflicts}
    parents: dict[str, str | None] = {}
    for id_, page in merged.entries.items():
        try:
            parents[id_] = _parent(id_, base, ours, theirs)
        except BothChanged:
            did = "added" if id_ not in base.page_by_id else "moved"
            sentence = f"Both sides {did} the page `{title_of(page)}` to different places."
            merged.conflicts.append(conflicts.about("page", id_, title_of(page), sentence))
    merged.conflicts += _misplaced(merged.entries, parents, disputed, base)
    merged.conflicts += _circles(merged.entries, parents)
    if not merged.conflicts:
        placed = {
            id_: page if page.parent == parents[id_] else replace(page, parent=parents[id_])
            for id_, page in merged.entries.items()
        }
        merged.entries = {page.id: page for page in in_order(_sorted(placed, base, ours, theirs))}
    return merged


def _parent(id_: str, base: Snapshot, ours: Snapshot, theirs: Snapshot) -> str | None:
    """Return a page's parent after the merge; raises BothChanged."""
    sides = [[side.page_by_id[id_].parent] if id_ in side.page_by_id else [] for side in (base, ours, theirs)]
    former, mine, other = sides
    [parent] = pick(former, mine, other) if mine and other else mine or other
    return parent


def _misplaced(
    pages: Mapping[str, Page], parents: Mapping[str, str | None], disputed: set[str], base: Snapshot
) -> Iterator[Conflict]:
    """Find pages whose parent was deleted or cannot have children, and groups that would be below a page."""
    said = set(disputed)
    for id_, parent in parents.items():
        if parent is None or parent in said:
            continue
        title, above = title_of(pages[id_]), pages.get(parent)
        if above is None:
            said.add(parent)
            name = title_of(base.page_by_id[parent])
            sentence = f"One side deleted the page `{name}`, and the other put `{title}` into it."
            yield conflicts.about("page", parent, name, sentence)
        elif above.type not in HOLDS_PAGES:
            said.add(parent)
            name = title_of(above)
            sentence = f"One side made the page `{name}` a {above.type} page, and the other put `{title}` into it."
            yield conflicts.about("page", parent, name, sentence)
        elif pages[id_].type == "group" and id_ not in said:
            sentence = f"One side made the page `{title}` a group, and the other put it into `{title_of(above)}`."
            yield conflicts.about("page", id_, title, sentence)


def _circles(pages: Mapping[str, Page], parents: Mapping[str, str | None]) -> Iterator[Conflict]:
    """Find cycles that two moves create."""
    seen: set[str] = set()
    for id_ in pages:
        way: dict[str, None] = {}
        up: str | None = id_
        while up is not None and up not in seen and up not in way:
            way[up] = None
            up = parents.get(up)
        if up is not None and up in way:
            circle = [*way][[*way].index(up) :]
            names = " and ".join(f"`{title_of(pages[one])}`" for one in circle)
            sentence = f"Together, the two sides put the pages {names} inside each other."
            yield conflicts.about("page", up, title_of(pages[up]), sentence)
        seen.update(way)  # `|=` with the view of a dictionary makes a new set each time


def _sorted(pages: Mapping[str, Page], base: Snapshot, ours: Snapshot, theirs: Snapshot) -> Iterator[Page]:
    """Yield each page's children in order, with their slugs."""
    for parent in dict.fromkeys(page.parent for page in pages.values()):
        lists = [
            [one.id for one in side.children.get(parent, ()) if one.id in pages and pages[one.id].parent == parent]
            for side in (base, ours, theirs)
        ]
        yield from _with_slugs([pages[id_] for id_ in merge_order(*lists)], ours, theirs)


def _with_slugs(siblings: Sequence[Page], ours: Snapshot, theirs: Snapshot) -> Iterator[Page]:
    """Assign unique slugs to siblings; a page that already had its slug here keeps it, ours first."""
    holders: dict[str, Page] = {}
    for side in (ours, theirs, None):
        for page in siblings:
            if page.slug is not None and page.slug not in holders and (side is None or _has_slug_here(side, page)):
                holders[page.slug] = page
    taken, numbers = set(holders), dict.fromkeys(holders, 2)
    for page in siblings:
        slug = page.slug
        if slug is not None and holders[slug] is not page:
            while (candidate := f"{slug}-{numbers[slug]}") in taken:
                numbers[slug] += 1
            taken.add(candidate)
            page = replace(page, slug=candidate)
        yield page


def _has_slug_here(side: Snapshot, page: Page) -> bool:
    there = side.page_by_id.get(page.id)
    return there is not None and there.slug == page.slug and there.parent == page.parent
