"""Exports hold one document after the other, and no more than a folder may have."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.background.jobs import JobFailed
from runtime.services.git import exporting
from runtime.services.git.making_commit import DOCUMENTS
from runtime.store import migrate
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.spaces import SpaceRow

JOB: Any = SimpleNamespace(check=lambda: None)


def test_there_is_a_bound_for_what_all_documents_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [{"object": "document", "data": {"number": number}, "nodes": []} for number in range(3)]
    names = [revisions.name_of(document) for document in documents]
    pages = [Page(f"p{number}", title="Page", slug=f"p{number}", document=name) for number, name in enumerate(names)]
    database = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    migrate.migrate(database)
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id="o", title="O"))
        session.flush()
        session.add(SpaceRow(id="s", organization_id="o", title="S", emoji="", revision_id="r"))
        session.flush()
        revisions.write(session, "s", Snapshot(pages), documents, id="r")
    size = len(json.dumps(documents[0], separators=(",", ":")))
    with database.transaction(writes=False) as session:
        monkeypatch.setattr(exporting, "MAX_DOCUMENTS", 3 * size)
        exporting._write_documents(JOB, session, "s", Snapshot(pages), tmp_path)
        assert sorted(line[:40] for line in (tmp_path / DOCUMENTS).read_text().splitlines()) == sorted(names)
        monkeypatch.setattr(exporting, "MAX_DOCUMENTS", 3 * size - 1)
        with pytest.raises(JobFailed, match="too much text"):
            exporting._write_documents(JOB, session, "s", Snapshot(pages), tmp_path)
    database.close()
