"""What an import has stored is there when its revision says it, whatever was collected in between."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.background.jobs import JobFailed
from runtime.contract.addresses import Addresses
from runtime.contract.identifiers import new_id
from runtime.services import spaces as space_service
from runtime.services.imported_tree import Imported, ImportedPage
from runtime.services.importing import storing, transfer
from runtime.services.importing.storing import Target
from runtime.store.content import revisions, sizes
from runtime.store.database import Database
from runtime.store.tables.content import ContentPieceRow, ContentSizeRow, RevisionRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases


def run_here(function: Any, folder: Path, arguments: Any, **_: Any) -> Any:
    return function(folder, arguments)


def job_on(database: Database) -> Any:
    separately, at = SimpleNamespace(run=run_here), Addresses("http://h.example", "http://h.example")
    tools = SimpleNamespace(database=database, separate_process=separately, blobs=None, addresses=at)
    return SimpleNamespace(tools=tools, check=lambda: None, still_ours=lambda session: None)


LEAF = {"object": "leaf", "text": "said", "marks": []}
BLOCK = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [LEAF]}]}
PAGE = ImportedPage("page", "Page", document={"object": "document", "data": {}, "nodes": [BLOCK]})


def new_space(database: Database) -> str:
    organization, space = new_id(), new_id()
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id=organization, title="O", hostname="o"))
        session.flush()
        row = SpaceRow(id=space, organization_id=organization, title="S", emoji="1", edit_mode="live")
        space_service.add(session, row)
    return space


def read_in(folder: Path) -> Imported:
    transfer.write_imported(folder, Imported(pages=[PAGE]))
    return transfer.read_imported(folder)


@pytest.mark.parametrize("kind", databases.BOTH)
def test_an_import_that_fails_leaves_nothing_that_counts(kind: str, tmp_path: Path) -> None:
    def cancelled(session: Session, stored: storing.Stored) -> None:
        assert sizes.size_of(session, space) > 0
        raise JobFailed("It was cancelled.")

    with databases.opened(tmp_path, kind) as database:
        space = new_space(database)
        with pytest.raises(JobFailed, match="cancelled"):
            storing.store_import(
                job_on(database), tmp_path, read_in(tmp_path), Target(space, None, new_id(), None), cancelled
            )
        with database.transaction(writes=False) as session:
            left = session.scalars(select(ContentPieceRow.name).where(ContentPieceRow.space_id == space)).all()
            assert (list(left), sizes.size_of(session, space)) == ([], 0)


@pytest.mark.parametrize("kind", databases.BOTH)
def test_documents_that_were_collected_meanwhile_are_stored_again(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the revision is written none names them, and whoever collects takes them for what nobody needs."""
    made = new_id()
    store, times = storing._store_documents, []

    def store_and_lose(job: Any, folder: Path, space_id: str) -> dict[str, str]:
        names = store(job, folder, space_id)
        times.append(names)
        if len(times) == 1:
            with database.transaction(writes=True) as session:
                for table in (ContentPieceRow, ContentSizeRow):
                    session.execute(delete(table).where(table.space_id == space_id))
        return names

    with databases.opened(tmp_path, kind) as database:
        space = new_space(database)
        monkeypatch.setattr(storing, "_store_documents", store_and_lose)
        storing.store_import(job_on(database), tmp_path, read_in(tmp_path), Target(space, None, made, None))
        with database.transaction(writes=False) as session:
            snapshot = revisions.snapshot_of(session, session.get_one(RevisionRow, made))
            there = revisions.documents(session, space, snapshot.documents())
        assert snapshot.documents() and set(there) == set(snapshot.documents()) and len(times) == 2


def test_a_batch_of_documents_holds_no_more_than_it_may_of_what_they_refer_to() -> None:
    """Links of a page are not compressed where they are kept, and the page is."""
    found = {"references": [["url", "x" * storing.BATCH_BYTES]], "anchors": []}
    pages = [transfer.Finished(f"{number}", "ab", b"", found) for number in range(3)]
    small = [transfer.Finished(f"{number}", "ab", b"", None) for number in range(3)]
    assert [len(batch) for batch in storing._batches(iter(pages))] == [1, 1, 1]
    assert [len(batch) for batch in storing._batches(iter(small))] == [3]
