"""The whole content of one revision: its lists and the tree of pages. It never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from runtime.store.content.entries import HOLDS_PAGES, File, Page, ReusableContent


class BrokenTree(ValueError):
    """The pages are not a tree; the message says which page, and why."""


@dataclass(frozen=True)
class Snapshot:
    """The lists of a revision; pages are in depth-first order, parents before their children."""

    pages: Sequence[Page] = ()
    files: Sequence[File] = ()
    reusable_contents: Sequence[ReusableContent] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Convert lists to tuples, so that snapshots with the same content are equal."""
        for name in ("pages", "files", "reusable_contents"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @cached_property
    def page_by_id(self) -> Mapping[str, Page]:
        """Every page by its id."""
        return {page.id: page for page in self.pages}

    @cached_property
    def file_by_id(self) -> Mapping[str, File]:
        """Every file by its id."""
        return {file.id: file for file in self.files}

    @cached_property
    def reusable_content_by_id(self) -> Mapping[str, ReusableContent]:
        """Every reusable content by its id."""
        return {content.id: content for content in self.reusable_contents}

    @cached_property
    def children(self) -> Mapping[str | None, Sequence[Page]]:
        """The pages in each page, in order; those at the top under None."""
        inside: dict[str | None, list[Page]] = {}
        for page in self.pages:
            inside.setdefault(page.parent, []).append(page)
        return inside

    @cached_property
    def characters_of_paths(self) -> int:
        """How long all paths are together, without writing them: pages deep inside others have long ones."""
        lengths: dict[str, int] = {}
        for page in self.pages:
            if page.slug is not None:
                above = lengths.get(page.parent, -1) if page.parent is not None else -1
                lengths[page.id] = above + 1 + len(page.slug)
        return sum(lengths.values())

    @cached_property
    def path_of(self) -> Mapping[str, str]:
        """The path of each page that has one, by its id: the slugs from the top down."""
        paths: dict[str, str] = {}
        for page in self.pages:
            if page.slug is not None:
                above = paths.get(page.parent, "") if page.parent is not None else ""
                paths[page.id] = f"{above}/{page.slug}" if above else page.slug
        return paths

    @cached_property
    def page_by_path(self) -> Mapping[str, Page]:
        """Each page that has a path, by it."""
        return {path: self.page_by_id[page_id] for page_id, path in self.path_of.items()}

    @cached_property
    def page_by_former_path(self) -> Mapping[str, Page]:
        """Each page by those of its former paths at which no page is now; of two pages with the same one, the first."""
        found: dict[str, Page] = {}
        for page in self.pages:
            for path in (page.former_paths or ()) if page.id in self.path_of else ():
                if path not in self.page_by_path:
                    found.setdefault(path, page)
        return found

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The ids of the pages that are hidden, or inside a hidden one: readers do not see them."""
        found: set[str] = set()
        for page in self.pages:
            if page.hidden or page.parent in found:
                found.add(page.id)
        return frozenset(found)

    @cached_property
    def sources(self) -> Sequence[Page]:
        """The pages that are replaced by those that a source computes, in order."""
        return [page for page in self.pages if page.type == "computed"]

    def documents(self) -> set[str]:
        """Return every document that the revision refers to."""
        entries: Iterable[Page | ReusableContent] = (*self.pages, *self.reusable_contents)
        return {entry.document for entry in entries if entry.document is not None}


def in_order(pages: Iterable[Page]) -> list[Page]:
    """Return pages in the order of a snapshot: siblings as given, each before its children.

    Raises BrokenTree for an id that is there twice, a parent that is not there or cannot have pages, a cycle, and two
    siblings of one slug.
    """
    inside: dict[str | None, list[Page]] = {}
    by_id: dict[str, Page] = {}
    for page in pages:
        if page.id in by_id:
            raise BrokenTree(f"the page `{page.id}` is there twice")
        by_id[page.id] = page
        inside.setdefault(page.parent, []).append(page)
    for parent, siblings in inside.items():
        _check_place(by_id, parent, siblings)
    ordered: list[Page] = []
    todo = [*reversed(inside.get(None, []))]
    while todo:
        page = todo.pop()
        ordered.append(page)
        todo += reversed(inside.get(page.id, []))
    if len(ordered) < len(by_id):
        lost = next(iter(by_id.keys() - {page.id for page in ordered}))
        raise BrokenTree(f"the page `{lost}` is inside itself")
    return ordered


def _check_place(by_id: Mapping[str, Page], parent: str | None, siblings: Sequence[Page]) -> None:
    if parent is not None:
        above = by_id.get(parent)
        if above is None:
            raise BrokenTree(f"the page `{siblings[0].id}` is in a page that is not there")
        if above.type not in HOLDS_PAGES:
            raise BrokenTree(f"the page `{above.id}` is a {above.type}, which no page can be in")
        if any(page.type == "group" for page in siblings):
            raise BrokenTree("a group is at the top only")
    slugs: set[str] = set()
    for page in siblings:
        if (page.slug is None) != (page.type not in HOLDS_PAGES):
            raise BrokenTree(f"the page `{page.id}`: documents and groups have a slug, others have none")
        if page.slug is not None and page.slug in slugs:
            raise BrokenTree(f"two pages beside each other have the slug `{page.slug}`")
        if page.slug is not None:
            slugs.add(page.slug)
