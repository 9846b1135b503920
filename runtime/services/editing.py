"""Applies changes to the content of a revision: all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import MISSING, BaseModel

from runtime.contract import errors
from runtime.contract.change_requests import (
    Change,
    DeleteFile,
    DeletePage,
    DeleteReusableContent,
    DocumentInput,
    InsertPage,
    MovePage,
    PageFields,
    PagePosition,
    PutReusableContent,
    SetVariables,
    UpdateFile,
    UpdatePage,
    document_in,
)
from runtime.contract.identifiers import new_id
from runtime.contract.slugs import Slugs, slug_of
from runtime.services.documents import Lent, RunSeparately, markdown_of_sent, read_all
from runtime.store.content.entries import HOLDS_PAGES, File, Page, ReusableContent
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import BrokenTree, Snapshot, in_order

Node = Mapping[str, Any]

MAX_PAGES = 20_000
MAX_DEPTH = 20
MAX_REUSABLE_CONTENTS = 2000
MAX_FILES = 10_000
MAX_VARIABLES = 200
MAX_LISTED = 8_000_000
"""Maximum characters of the metadata of all pages of a space, which is read with every page."""
MAX_PATHS = 16_000_000
"""Maximum characters of the paths of all pages of a space, which lists of its pages show: 800 for each of the most."""
_NULLABLE = ("description", "emoji", "icon", "layout", "cover", "variables")
_FLAGS = ("hidden", "no_index", "no_robots_index")


def documents_of_changes(changes: Sequence[Change], run_separately: RunSeparately, lent: Lent) -> list[Node | None]:
    """Read what each change writes, None for those that write nothing; raises BadRequest, naming the field.

    Markdown takes its time: no transaction should wait for it.
    """
    given = [document_in(change) for change in changes]
    texts = {
        f"changes.{place}.document": one.markdown
        for place, one in enumerate(given)
        if one is not None and isinstance(one.markdown, str)
    }
    read = iter(read_all(texts, run_separately, lent))
    return [_document_sent(one, read, f"changes.{place}.document") for place, one in enumerate(given)]


def _document_sent(given: DocumentInput | None, read: Iterator[Node], field: str) -> Node | None:
    if given is None:
        return None
    if isinstance(given.markdown, str):
        return next(read)
    assert isinstance(given.document, dict), "the model has seen that there is one of both"
    markdown_of_sent(given.document, field)
    return given.document


class Editor:
    """Changes content step by step; `snapshot` gives the whole at the end, `documents` what was written for it."""

    def __init__(self, snapshot: Snapshot, moment: str) -> None:
        """Start with the content of a revision; `moment` becomes the time of change of pages."""
        self._moment = moment
        self._pages = {page.id: page for page in snapshot.pages}
        self._reusable = dict(snapshot.reusable_content_by_id)
        self._variables = dict(snapshot.variables)
        self._files = dict(snapshot.file_by_id)
        self._inside: dict[str | None, list[str]] = {
            parent: [page.id for page in pages] for parent, pages in snapshot.children.items()
        }
        self._slugs: dict[str | None, Slugs] = {}
        self.documents: dict[str, Node] = {}
        self._written: Node | None = None
        self.added: list[str] = []

    def apply(self, change: Change, document: Node | None = None) -> None:
        """Apply one change, with the document it writes; raises BadRequest if that is not possible."""
        self._written = document
        _STEPS[type(change)](self, change)

    def snapshot(self) -> Snapshot:
        """Return the resulting content; raises BadRequest if it exceeds a limit."""
        ordered = [self._pages[page_id] for siblings in self._inside.values() for page_id in siblings]
        try:
            pages = in_order(ordered)
        except BrokenTree as error:
            raise errors.BadRequest(str(error), field="changes") from None
        snapshot = Snapshot(pages, list(self._files.values()), list(self._reusable.values()), self._variables)
        problem = too_much(snapshot)
        if problem is not None:
            raise errors.BadRequest(problem, field="changes")
        return snapshot

    def insert_page(self, change: InsertPage) -> None:
        """Add a page."""
        page_id = new_id() if change.id is MISSING else change.id
        if page_id in self._pages:
            raise errors.BadRequest(f"there is a page `{page_id}` already", field="id")
        if (change.page == "link") != (change.target is not MISSING):
            raise errors.BadRequest("only links have one, and they need it", field="target")
        if change.page == "computed" and change.computed is MISSING:
            raise errors.BadRequest("say which source computes the page", field="computed")
        page = Page(page_id, type=change.page, title=change.title, created_at=self._moment)
        page = self._with_fields(page, change)
        self._place(page, change.position)
        self.added.append(page_id)

    def update_page(self, change: UpdatePage) -> None:
        """Change the metadata and the document of a page."""
        page = self._page(change.id)
        if change.target is not MISSING and page.type != "link":
            raise errors.BadRequest("only links have one, and they need it", field="target")
        if change.title is not MISSING:
            page = replace(page, title=change.title)
        changed = self._with_fields(page, change)
        if changed.slug != page.slug:
            self._rename(page, changed)
        self._pages[page.id] = changed

    def move_page(self, change: MovePage) -> None:
        """Move a page, with everything inside it."""
        page = self._page(change.id)
        siblings = self._inside[page.parent]
        at = siblings.index(page.id)
        del siblings[at]
        self._release(page)
        try:
            self._place(page, change.position)
        except errors.BadRequest:
            siblings.insert(at, page.id)
            if page.slug is not None:
                self._slugs_in(page.parent).take(page.slug)
            raise

    def delete_page(self, change: DeletePage) -> None:
        """Delete a page, with everything inside it."""
        page = self._page(change.id)
        self._inside[page.parent].remove(page.id)
        self._release(page)
        todo = [page.id]
        while todo:
            gone = todo.pop()
            self._slugs.pop(gone, None)
            todo += self._inside.pop(gone, [])
            del self._pages[gone]

    def put_reusable_content(self, change: PutReusableContent) -> None:
        """Add a reusable content, or change one."""
        old = self._reusable.get(change.id) if change.id is not MISSING else None
        if old is None:
            if change.title is MISSING:
                raise errors.BadRequest("a new reusable content needs one", field="title")
            old = ReusableContent(new_id() if change.id is MISSING else change.id)
            self.added.append(old.id)
        title = old.title if change.title is MISSING else change.title
        document = old.document if change.document is MISSING else self._document()
        self._reusable[old.id] = replace(old, title=title, document=document)

    def delete_reusable_content(self, change: DeleteReusableContent) -> None:
        """Delete a reusable content; pages that include it keep a broken reference."""
        if self._reusable.pop(change.id, None) is None:
            raise errors.BadRequest(f"there is no reusable content `{change.id}`", field="id")

    def put_file(self, file: File) -> None:
        """Add a file, or replace the bytes of an existing one."""
        if file.id not in self._files:
            self.added.append(file.id)
        self._files[file.id] = file

    def update_file(self, change: UpdateFile) -> None:
        """Rename a file."""
        self._files[change.id] = replace(self._file(change.id), name=change.name)

    def delete_file(self, change: DeleteFile) -> None:
        """Delete a file; pages that show it keep a broken reference."""
        del self._files[self._file(change.id).id]

    def _file(self, file_id: str) -> File:
        file = self._files.get(file_id)
        if file is None:
            raise errors.BadRequest(
                f"there is no file `{file_id}`; list the files of the change request to see them", field="id"
            )
        return file

    def set_variables(self, change: SetVariables) -> None:
        """Set variables of the space, and remove those that are null."""
        self._variables |= change.variables
        self._variables = {name: value for name, value in self._variables.items() if value is not None}

    def _page(self, page_id: str) -> Page:
        page = self._pages.get(page_id)
        if page is None:
            raise errors.BadRequest(f"there is no page `{page_id}`", field="id")
        return page

    def _with_fields(self, page: Page, fields: PageFields) -> Page:
        values: dict[str, Any] = {"updated_at": self._moment}
        for name in (*_NULLABLE, *_FLAGS):
            value = getattr(fields, name)
            if value is not MISSING:
                model = isinstance(value, BaseModel)
                values[name] = value.model_dump(mode="json", by_alias=True) if model else value
        if fields.target is not MISSING:
            values["target"] = fields.target.model_dump(mode="json", by_alias=True)
        if fields.document is not MISSING:
            if page.type != "document":
                raise errors.BadRequest(f"a {page.type} has none", field="document")
            values |= {"document": self._document(), "computed": None, "computed_seed": None}
        if fields.computed is not MISSING:
            values |= _computed_by(page, fields)
        if fields.slug is not MISSING:
            if page.type not in HOLDS_PAGES:
                raise errors.BadRequest(f"a {page.type} has none", field="slug")
            values["slug"] = fields.slug
        return replace(page, **values)

    def _document(self) -> str:
        assert self._written is not None, "whoever applies a change that writes a document hands it over"
        name = name_of(self._written)
        self.documents[name] = self._written
        return name

    def _place(self, page: Page, position: PagePosition) -> None:
        """Insert a page between others; raises BadRequest for an invalid position."""
        above = self._page(position.parent) if position.parent is not None else None
        self._check_parent(page, above)
        siblings = self._inside.setdefault(position.parent, [])
        before, after = position.before, position.after
        if before is not MISSING and after is not MISSING:
            raise errors.BadRequest("`before` or `after`, not both", field="position")
        at = len(siblings)
        for neighbor, offset in ((before, 0), (after, 1)):
            if neighbor is not MISSING:
                if neighbor not in siblings:
                    raise errors.BadRequest(f"there is no page `{neighbor}` there", field="position")
                at = siblings.index(neighbor) + offset
        if page.type in HOLDS_PAGES:
            page = replace(page, slug=self._slugs_in(position.parent).take(page.slug or slug_of(page.title)))
        siblings.insert(at, page.id)
        self._pages[page.id] = replace(page, parent=position.parent)

    def _check_parent(self, page: Page, above: Page | None) -> None:
        if above is not None and above.type not in HOLDS_PAGES:
            raise errors.BadRequest(f"a {above.type} cannot contain pages", field="position")
        if above is not None and page.type == "group":
            raise errors.BadRequest("groups are allowed only at the top level", field="position")
        while above is not None:
            if above.id == page.id:
                raise errors.BadRequest(
                    "a page cannot be inside itself, or inside one of its own pages", field="position"
                )
            above = self._pages[above.parent] if above.parent is not None else None

    def _slugs_in(self, parent: str | None) -> Slugs:
        """Return the slugs of a page's pages; a request may add thousands beside thousands, so they are read once."""
        if parent not in self._slugs:
            siblings = (self._pages[one] for one in self._inside.get(parent, ()))
            self._slugs[parent] = Slugs(one.slug for one in siblings if one.slug is not None)
        return self._slugs[parent]

    def _release(self, page: Page) -> None:
        if page.slug is not None:
            self._slugs_in(page.parent).release(page.slug)

    def _rename(self, page: Page, changed: Page) -> None:
        beside = self._slugs_in(page.parent)
        if changed.slug is not None:
            if changed.slug in beside:
                raise errors.BadRequest(f"a page next to this one already has the slug `{changed.slug}`", field="slug")
            beside.take(changed.slug)
        if page.slug is not None:
            beside.release(page.slug)


def _computed_by(page: Page, fields: PageFields) -> dict[str, Any]:
    """Return what a page is that a source computes: a document is written or computed, never both."""
    assert fields.computed is not MISSING
    if page.type not in ("computed", "document"):
        raise errors.BadRequest(f"a {page.type} is not computed", field="computed")
    if fields.document is not MISSING:
        raise errors.BadRequest("either `computed` or `document`", field="computed")
    return {"computed": fields.computed.model_dump(mode="json", by_alias=True), "document": None}


def too_much(snapshot: Snapshot) -> str | None:
    """Return the message about an exceeded limit of a space; None if there is none."""
    for name, count, most in (
        ("pages", len(snapshot.pages), MAX_PAGES),
        ("reusable contents", len(snapshot.reusable_contents), MAX_REUSABLE_CONTENTS),
        ("files", len(snapshot.files), MAX_FILES),
        ("variables", len(snapshot.variables), MAX_VARIABLES),
    ):
        if count > most:
            return f"a space has at most {most} {name}; this would be {count}"
    if sum(length_of(page) for page in snapshot.pages) > MAX_LISTED:
        return "titles, descriptions and variables of the pages are too long together; shorten some of them"
    if snapshot.characters_of_paths > MAX_PATHS:
        return "paths of the pages are too long together; shorten slugs, or have fewer pages deep inside others"
    depths: dict[str, int] = {}
    for page in snapshot.pages:  # parents first
        depths[page.id] = depths[page.parent] + 1 if page.parent is not None else 0
        if depths[page.id] > MAX_DEPTH:
            return f"pages are at most {MAX_DEPTH} deep inside each other, and `{page.title[:60]}` would be deeper"
    return None


def length_of(page: Page) -> int:
    """Count the characters of a page's metadata."""
    length = len(page.title) + len(page.description or "") + len(page.slug or "")
    length += sum(map(len, page.former_paths or ()))
    for named in (page.variables, page.target, page.cover, page.computed):
        if named:
            length += sum(len(name) + len(str(value)) for name, value in named.items())
    return length


_STEPS: dict[type, Callable[[Editor, Any], None]] = {
    InsertPage: Editor.insert_page,
    UpdatePage: Editor.update_page,
    MovePage: Editor.move_page,
    DeletePage: Editor.delete_page,
    PutReusableContent: Editor.put_reusable_content,
    DeleteReusableContent: Editor.delete_reusable_content,
    UpdateFile: Editor.update_file,
    DeleteFile: Editor.delete_file,
    SetVariables: Editor.set_variables,
}
