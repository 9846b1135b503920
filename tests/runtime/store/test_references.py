"""References of documents are read some at a time, and copied with what they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select

from runtime.contract.addresses import Addresses
from runtime.services.linking import Links
from runtime.store.content import references, revisions, sizes
from runtime.store.content.entries import Page
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.reach import HOST
from runtime.store.tables.content import ContentPieceRow, DocumentReferencesRow, RevisionRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World, named

SOME = 25
PAGES = 3 * SOME


def link(ref: dict[str, Any]) -> dict[str, Any]:
    return {"object": "inline", "type": "link", "data": {"ref": ref}, "nodes": []}


@pytest.fixture
def space(world: World) -> Iterator[tuple[Database, str, str]]:
    """A space of many pages, each with links: to an address, and to an anchor that the last page has."""
    heading = {"object": "block", "type": "heading-1", "data": {}, "meta": {"id": "end"}, "nodes": []}
    anchor = {"kind": "anchor", "page": f"p{PAGES - 1}", "anchor": "end"}
    texts: list[dict[str, Any]] = [
        {"nodes": [link({"kind": "url", "url": f"https://e.example/{number}"}), link(anchor)]}
        for number in range(PAGES - 1)
    ]
    texts.append({"nodes": [heading]})
    pages = [Page(f"p{n}", title=f"P {n}", slug=f"p{n}", document=name_of(text)) for n, text in enumerate(texts)]
    with world.database.transaction(writes=True) as session:
        row = SpaceRow(organization_id=named("organizations", "here"), title="S", emoji="")
        session.add(row)
        session.flush()
        revisions.write(session, row.id, Snapshot(pages), texts, id=row.revision_id)
        found = world.database, row.id, row.revision_id
    yield found


def test_links_of_a_space_are_never_in_memory_together(
    space: tuple[Database, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, space_id, revision_id = space
    read, at_once = references.read, list[int]()

    def counted(*more: Any) -> Any:
        found = read(*more)
        at_once.append(len(found))
        return found

    monkeypatch.setattr(references, "read", counted)
    monkeypatch.setattr(references, "BYTES", 2000)  # each document has about 200
    with database.transaction(writes=False) as session:
        here, row = session.get_one(SpaceRow, space_id), session.get_one(RevisionRow, revision_id)
        found = Links(session, HOST, Addresses("http://h.example", "http://h.example"), here, row)
        usages = found.usages()
        assert len(usages) == PAGES and {one.status for one in usages} == {"ok"}
        assert sum(at_once) == PAGES + 1 and max(at_once) <= SOME
        at_once.clear()
        assert len(found.usages(found.here.snapshot.pages[0])) == 2
        assert sum(at_once) == 2  # its own, and those of the page that it leads to


def test_a_copy_counts_and_is_measured_by_its_references_too(space: tuple[Database, str, str]) -> None:
    database, space_id, revision_id = space
    with database.transaction(writes=True) as session:
        to = SpaceRow(organization_id=named("organizations", "here"), title="T", emoji="")
        session.add(to)
        session.flush()
        row = session.get_one(RevisionRow, revision_id)
        revisions.copy(session, row, to.id, id=to.revision_id)
        pieces = session.scalar(
            select(func.sum(func.length(ContentPieceRow.content))).where(ContentPieceRow.space_id == to.id)
        )
        about = select(func.sum(sizes.stored_bytes(session, DocumentReferencesRow.found)))
        whole = pieces + session.scalar(about.where(DocumentReferencesRow.space_id == to.id))
        assert revisions.packed_size(session, row) == whole == sizes.size_of(session, to.id)
        assert sizes.size_of(session, to.id) == sizes.size_of(session, space_id)
