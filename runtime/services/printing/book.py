"""What goes into a PDF: pages in the order they are read, with the documents, files and names they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.document_references import references_in
from runtime.services import content
from runtime.services.expressions import evaluated
from runtime.store import rows
from runtime.store.content import revisions
from runtime.store.content.entries import HOLDS_PAGES, Page
from runtime.store.content.pieces import unpack
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.organizations import MemberRow, UserRow
from runtime.store.tables.spaces import SpaceRow

MAX_PAGES = 1000
"""Pages in one PDF."""
MAX_TEXT = 20_000_000
"""Characters of JSON of all documents in one PDF."""
MAX_INCLUDED = 5
"""How deep contents may include each other."""
AT_ONCE = 20
"""Documents that are read at a time, as they are stored: each may have megabytes."""
MUCH = "There is more text than a PDF may have; request a part with `page`."


class TooMuch(ValueError):
    """There is more than a PDF may have; the message says how to ask for less."""


@dataclass
class Book:
    """A book, as JSON for the process that sets it: `pictures` are references by the names of files beside it."""

    title: str
    pages: list[dict[str, Any]] = field(default_factory=list)
    contents: dict[str, Any] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)


def chosen(snapshot: Snapshot, page_id: str | None, *, only: bool) -> list[Page]:
    """Choose the pages of a PDF: all of them, those in one page, or that `only`. Raises NotFound, `TooMuch`."""
    if page_id is None:
        pages = [page for page in snapshot.pages if page.id not in snapshot.hidden]
    else:
        first = content.page_in(snapshot, page_id)
        pages, inside = [], {first.id}
        for page in snapshot.pages:
            if page.id == first.id or (page.parent in inside and not only):
                inside.add(page.id)
                pages.append(page)
    pages = [page for page in pages if page.type in HOLDS_PAGES]
    if len(pages) > MAX_PAGES:
        raise TooMuch(f"A PDF has at most {MAX_PAGES} pages of a space; request a part with `page`.")
    return pages


def book_of(session: Session, space: SpaceRow, revision: RevisionRow, pages: Iterable[Page]) -> Book:
    """Read what a book of pages needs; raises `TooMuch`."""
    snapshot = snapshot_of(session, revision)
    pages = list(pages)
    book = Book(space.title if len(pages) != 1 else pages[0].title)
    here = {page.id for page in pages}
    depths: dict[str, int] = {}
    for page in pages:
        depths[page.id] = depths[page.parent] + 1 if page.parent in depths else 0
        shown = {"id": page.id, "title": page.title, "depth": depths[page.id], "description": page.description or ""}
        book.pages.append({**shown, "type": page.type, "document": page.document})
    documents: dict[str, Any] = {}
    names = [page.document for page in pages if page.document is not None]
    variables = {page.id: page.variables or {} for page in pages}
    _read(session, space.id, names, documents)
    length = 0
    for page_shown in book.pages:
        document = documents.get(page_shown["document"] or "", content.EMPTY)
        document = evaluated(document, snapshot.variables, variables[page_shown["id"]])
        length = _longer(length, document)  # of each page: several may say the same
        page_shown["document"] = document
    refs = [one.ref for page_shown in book.pages for one in references_in(page_shown["document"])]
    for _ in range(MAX_INCLUDED):
        wanted = {
            ref["reusableContent"]: snapshot.reusable_content_by_id[ref["reusableContent"]]
            for ref in refs
            if ref["kind"] == "reusable-content"
            and ref["reusableContent"] in snapshot.reusable_content_by_id
            and ref["reusableContent"] not in book.contents
        }
        if not wanted:
            break
        included: dict[str, Any] = {}
        _read(session, space.id, [one.document for one in wanted.values() if one.document], included)
        refs = []
        for content_id, reusable in wanted.items():
            document = evaluated(included.get(reusable.document or "", content.EMPTY), snapshot.variables, {})
            length = _longer(length, document)
            book.contents[content_id] = document
            refs += [one.ref for one in references_in(document)]
    _name(session, space, snapshot, book, here)
    return book


def _read(session: Session, space_id: str, names: list[str], into: dict[str, Any]) -> None:
    """Read documents by their names, one after the other; raises `TooMuch` for more than a PDF may have."""
    length = 0
    for batch in batched(names, AT_ONCE):
        packed = revisions.packed_documents(session, space_id, batch)
        for name, stored in packed.items():
            if name not in into:
                into[name] = unpack(stored)
                length = _longer(length, into[name])


def _longer(length: int, document: Any) -> int:
    """Add the length of a document; raises `TooMuch`."""
    # Not in one piece, which other requests would wait for.
    length += sum(len(str(block)) for block in document.get("nodes", ()))
    if length > MAX_TEXT:
        raise TooMuch(MUCH)
    return length


def _name(session: Session, space: SpaceRow, snapshot: Snapshot, book: Book, here: set[str]) -> None:
    """Look up what references name: titles of pages, files, and people of the organization."""
    people: set[str] = set()
    for document in (*(page["document"] for page in book.pages), *book.contents.values()):
        for one in references_in(document):
            ref: Mapping[str, Any] = one.ref
            kind = ref["kind"]
            if kind == "user":
                people.add(ref["user"])
            elif kind == "file" and ref["file"] in snapshot.file_by_id:
                file = snapshot.file_by_id[ref["file"]]
                shown = {"name": file.name, "type": file.content_type, "blob": file.blob, "size": file.size}
                book.files[file.id] = shown
            elif "page" in ref and "space" not in ref and ref["page"] in snapshot.page_by_id:
                book.titles[ref["page"]] = snapshot.page_by_id[ref["page"]].title
    members = rows.every(
        session, HOST, MemberRow, MemberRow.user_id.in_(sorted(people)[:1000]), organization_id=space.organization_id
    )
    users = rows.by_id(session, UserRow, [member.user_id for member in members])
    book.people = {user.id: user.display_name for user in users.values()}
