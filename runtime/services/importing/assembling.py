"""Merges imported content into the content of a space; what existed under the same key keeps its id."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.contract.slugs import Slugs, slug_of
from runtime.services.editing import MAX_DEPTH, too_much
from runtime.services.imported_tree import Imported, ImportedPage
from runtime.services.importing.references import Ids
from runtime.services.importing.renaming import renamed
from runtime.store.content.entries import HOLDS_PAGES, File, Page, PageType, ReusableContent
from runtime.store.content.snapshot import BrokenTree, Snapshot, in_order

LONGEST_TITLE = 1000
LONGEST_DESCRIPTION = 300
LONGEST_ICON = 50
SLUG = re.compile(r"[^/?#%\s\\]{1,100}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an import goes: below a page, or to the top of the space.

    With `replace`, existing pages that are not in the import are removed, and fields that the import does not set are
    cleared; without it, the import is added to the existing pages and such fields stay.
    """

    below: str | None = None
    replace: bool = False


class Assembly:
    """Builds the new content of a space. Raises BadRequest, with a sentence, for invalid content.

    An imported page takes the id of the existing page with the same `git.path`, else of the one whose file was renamed,
    else of the one with the same type and path (for a link: the same title and parent). A file takes the id of the one
    with the same `git.path`, else the same name and bytes; a reusable content by `git.path`, else title.
    """

    def __init__(
        self,
        imported: Imported,
        base: Snapshot,
        place: Place,
        files: Mapping[str, File],
        moment: str,
        ids: Ids | None = None,
    ) -> None:
        """Take the import, with or without its documents, and the current content.

        `files` has the files of the import that could be stored, by their keys; their ids do not matter. `moment` is
        when pages say that they were changed. With the `ids` of an earlier assembly of the same import each thing has
        the id that it had there, whatever is in `base`.
        """
        self._imported, self._base, self._place, self._moment = imported, base, place, moment
        if place.below is not None:
            above = base.page_by_id.get(place.below)
            if above is None or above.type not in ("document", "group"):
                raise errors.BadRequest("The page to import into was deleted, or cannot contain pages.")
        given = ids or Ids({}, {}, {})
        self._files = self._with_file_ids(files, given.files)
        self._reusable = self._reusable_ids(given.reusable_contents)
        self._placed = _Placing(imported, base, place, given.pages).pages
        page_ids = {key: page.id for key, page in self._placed.items()}
        self.ids = Ids(page_ids, {key: file.id for key, file in self._files.items()}, self._reusable)

    def snapshot(self, documents: Mapping[str, str]) -> Snapshot:
        """Return the new content; `documents` maps ids of pages and reusable contents to names of documents."""
        pages = [self._with_fields(one, documents) for one in self._imported.pages]
        whole = self._place.replace and self._place.below is None
        files = {} if whole else dict(self._base.file_by_id)
        files |= {file.id: file for file in self._files.values()}
        reusable = {} if whole else dict(self._base.reusable_content_by_id)
        for one in self._imported.reusable_contents:
            named = self._reusable[one.key]
            before = self._base.reusable_content_by_id.get(named) if one.too_large else None
            document = before.document if before is not None else documents.get(named)
            reusable[named] = ReusableContent(named, one.git, one.title[:LONGEST_TITLE], document)
        variables = {**({} if whole else self._base.variables), **self._imported.variables}
        ordered = self._beside(pages)
        try:
            snapshot = Snapshot(in_order(ordered), [*files.values()], [*reusable.values()], variables)
        except BrokenTree as error:
            raise errors.BadRequest(f"The pages cannot be put into the space: {error}.") from None
        said = too_much(snapshot)
        if said is not None:
            raise errors.BadRequest(f"{said[0].upper()}{said[1:]}.")
        return snapshot

    def _beside(self, pages: Sequence[Page]) -> list[Page]:
        """Place the imported pages among those that stay; existing pages keep their position."""
        if not self._place.replace:
            given = {page.id: page for page in pages}
            return [*(given.pop(page.id, page) for page in self._base.pages), *given.values()]
        if self._place.below is None:
            return self._among_sources(pages)
        gone: set[str | None] = {self._place.below}
        moved = {page.id for page in pages}
        kept: list[Page] = []
        for page in self._base.pages:  # parents come first
            if page.parent in gone:
                gone.add(page.id)
            elif page.id not in moved:
                kept.append(page)
        return [*kept, *pages]

    def _among_sources(self, pages: Sequence[Page]) -> list[Page]:
        """Keep the position of pages with computed content, which imports cannot have."""
        holds = {None, *(page.id for page in pages if page.type in HOLDS_PAGES)}
        ids = {page.id for page in pages}
        behind: dict[str | None, list[Page]] = {}
        for parent, siblings in self._base.children.items():
            before: str | None = None
            for page in siblings:
                if page.type == "computed" and parent in holds:
                    behind.setdefault(before, []).append(page)
                elif page.id in ids:
                    before = page.id
        ordered = behind.get(None, [])
        for page in pages:
            ordered += [page, *behind.get(page.id, ())]
        return ordered

    def _with_fields(self, one: ImportedPage, documents: Mapping[str, str]) -> Page:
        placed = self._placed[one.key]
        old = self._base.page_by_id.get(placed.id)
        values: dict[str, Any] = {
            "description": one.description[:LONGEST_DESCRIPTION] if one.description else None,
            "emoji": one.emoji if one.emoji and len(one.emoji) <= LONGEST_ICON else None,
            "icon": one.icon if one.icon and len(one.icon) <= LONGEST_ICON else None,
            "layout": one.layout,
            "variables": one.variables,
            "former_paths": one.former_paths,
            "cover": self._cover(one.cover),
            "hidden": one.hidden,
            "no_index": one.no_index,
            "no_robots_index": one.no_robots_index,
        }
        if not self._place.replace and old is not None:
            values = {name: getattr(old, name) if value is None else value for name, value in values.items()}
        values |= {name: bool(values[name]) for name in ("hidden", "no_index", "no_robots_index")}
        if old is not None and old.type == placed.type and documents.get(placed.id) is None:
            # Nothing that is imported can say that a page is computed, or that it is not.
            values |= {"computed": old.computed, "computed_seed": old.computed_seed}
        kept = old.document if one.too_large and old is not None else None
        page = replace(
            placed,
            **values,
            git=one.git,
            title=_title(one),
            document=documents.get(placed.id, kept) if placed.type == "document" else None,
            target=self.ids.reference(one.target or {}) if placed.type == "link" else None,
            created_at=old.created_at if old is not None else self._moment,
            updated_at=old.updated_at if old is not None else self._moment,
        )
        return page if page == old or old is None else replace(page, updated_at=self._moment)

    def _cover(self, cover: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if cover is None:
            return None
        refs = ("ref", "refDark")
        return {name: self.ids.reference(value) if name in refs else value for name, value in cover.items()}

    def _with_file_ids(self, files: Mapping[str, File], given: Mapping[str, str]) -> dict[str, File]:
        at = {file.git_path: file.id for file in self._base.files if file.git}
        like = {(file.name, file.blob): file.id for file in self._base.files}
        made: dict[str, File] = {}
        for one in self._imported.files:
            stored = files.get(one.key)
            if stored is None:
                continue
            known = at.get(one.git.get("path")) if one.git else None
            named = given.get(one.key) or known or like.setdefault((stored.name, stored.blob), new_id())
            made[one.key] = replace(stored, id=named, git=one.git)
        return made

    def _reusable_ids(self, given: Mapping[str, str]) -> dict[str, str]:
        base = self._base.reusable_contents
        at = {content.git_path: content.id for content in base if content.git}
        titled = {content.title: content.id for content in base}
        made: dict[str, str] = {}
        taken: set[str] = set()
        for one in self._imported.reusable_contents:
            known = at.get(one.git.get("path")) if one.git else None
            found = given.get(one.key) or known or titled.get(one.title[:LONGEST_TITLE])
            made[one.key] = found if found is not None and found not in taken else new_id()
            taken.add(made[one.key])
        return made


class _Placing:
    """Finds each imported page's id, parent and slug; `pages` has them by key."""

    def __init__(self, imported: Imported, base: Snapshot, place: Place, given: Mapping[str, str]) -> None:
        self._base, self._place = base, place
        at = {(page.git_path, page.type): page.id for page in base.pages if page.git}
        self._slugs: dict[str | None, Slugs] = {}
        self._inside: dict[str | None, tuple[dict[str, Page], dict[str, list[str]]]] = {}
        self._depths: dict[str | None, int] = {None: 0}
        for page in base.pages:
            self._depths[page.id] = self._depths[page.parent] + 1
        self.pages: dict[str, Page] = {}
        same = {
            one.key: old
            for one in imported.pages
            if one.git and (old := at.get((one.git.get("path"), self._type(one)))) is not None
        }
        known = {**renamed(imported, base), **same, **given}
        self._known, self._taken = frozenset(known.values()), set(known.values())
        self._wanted = {(one.parent, _slug(one)) for one in imported.pages}
        for one in imported.pages:
            if one.key in self.pages:
                raise errors.BadRequest(f"The page `{one.key[:200]}` is there twice.")
            self.pages[one.key] = self._page(one, known.get(one.key))

    def _page(self, one: ImportedPage, known: str | None) -> Page:
        parent = self._parent(one)
        kind = self._type(one)
        wanted = _slug(one)
        if known is None and one.title_slug:
            known = self._titled(parent, kind, one, wanted)
        found, slug = self._claim(parent, kind, wanted, _title(one), known)
        if self._depths.get(parent, 0) > MAX_DEPTH:
            raise errors.BadRequest(
                f"Pages are at most {MAX_DEPTH} deep inside each other; `{_title(one)[:80]}` is deeper."
            )
        self._depths[found] = self._depths.get(parent, 0) + 1
        return Page(found, type=kind, parent=parent, slug=slug)

    def _type(self, one: ImportedPage) -> PageType:
        """Groups exist at the top level only; elsewhere they become empty pages."""
        inside = one.parent is not None or self._place.below is not None
        return "document" if one.type == "group" and inside else one.type

    def _parent(self, one: ImportedPage) -> str | None:
        if one.parent is None:
            return self._place.below
        above = self.pages.get(one.parent)
        if above is None:
            said = f"The page `{one.key[:200]}` is inside one that does not precede it, or inside itself."
            raise errors.BadRequest(said)
        if above.type not in ("document", "group"):
            raise errors.BadRequest(f"A {above.type} cannot contain pages, but `{one.key[:200]}` is inside one.")
        return above.id

    def _claim(
        self, parent: str | None, kind: PageType, slug: str | None, title: str, known: str | None
    ) -> tuple[str, str | None]:
        """Find the id of the existing page, or make a new one, with a slug unique among its siblings."""
        beside, links = self._beside(parent)
        if slug is None:
            while known is None and links.get(title):
                first = links[title].pop(0)
                known = first if first not in self._taken else None
            self._taken.add(known := known or new_id())
            return known, None
        slugs = self._slugs.setdefault(parent, Slugs())
        while True:
            taken = slugs.take(slug)
            old = beside.get(taken)
            if old is None or old.id == known:
                break
            if known is None and old.type == kind and old.id not in self._taken:
                known = old.id
            elif not self._place.replace and old.id not in self._known:  # it stays where it is, with its slug
                continue
            break
        self._taken.add(known := known or new_id())
        return known, taken

    def _titled(self, parent: str | None, kind: PageType, one: ImportedPage, wanted: str | None) -> str | None:
        """Find the existing page at the slug that follows from a title; none where another page now wants that slug."""
        beside, _ = self._beside(parent)
        slug = slug_of(_title(one))
        old = beside.get(slug)
        if wanted in beside or old is None or (one.parent, slug) in self._wanted:
            return None
        same = old.type == kind and old.title == _title(one) and not old.git and old.id not in self._taken
        return old.id if same else None

    def _beside(self, parent: str | None) -> tuple[dict[str, Page], dict[str, list[str]]]:
        """Return the children of an existing page: pages by slug, ids of links by title."""
        if parent not in self._inside:
            pages = self._base.children.get(parent, ())
            links: dict[str, list[str]] = {}
            for page in pages:
                if page.type == "link":
                    links.setdefault(page.title, []).append(page.id)
            self._inside[parent] = ({page.slug: page for page in pages if page.slug}, links)
        return self._inside[parent]


def _title(one: ImportedPage) -> str:
    return one.title[:LONGEST_TITLE] or "Untitled"


def _slug(one: ImportedPage) -> str | None:
    """Return the slug that an imported page wants among its siblings; None for a link, which has none."""
    if one.type == "link":
        return None
    return one.slug if SLUG.fullmatch(one.slug or "") else slug_of(one.slug or _title(one))
