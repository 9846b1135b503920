"""Comments on nodes of many pages are shown with as many questions as one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from runtime.contract.addresses import Addresses
from runtime.contract.document_nodes import said
from runtime.serializers import comment_targets
from runtime.serializers.comments import comments
from runtime.serializers.view import View
from runtime.store import migrate, rows, secrets
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.reach import HOST
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow

AT = Addresses("https://docs.example", "https://docs.example")
DOCUMENT = {"object": "document", "data": {}, "nodes": [{"object": "block", "type": "code", "key": "k", "nodes": []}]}
MANY = 40


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give a space of many pages, with a comment on a node of each."""
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    opened = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    migrate.migrate(opened)
    name = revisions.name_of(DOCUMENT)
    pages = [Page(f"p{number}", title="Page", slug=f"p{number}", document=name) for number in range(MANY)]
    values: dict[str, Any] = {"space_id": "s", "place_id": "s", "user_id": "u", "revision_id": "r"}
    values |= {"document": DOCUMENT, "markdown": "", "node_id": "k", "node_digest": "other", "document_id": "other"}
    with opened.transaction(writes=True) as session:
        session.add_all([OrganizationRow(id="o", title="O"), UserRow(id="u", display_name="U", email="u@example.com")])
        session.flush()
        session.add(SpaceRow(id="s", organization_id="o", title="S", emoji="", revision_id="r"))
        session.flush()
        revisions.write(session, "s", Snapshot(pages), [DOCUMENT], id="r")
        session.add_all([CommentRow(page_id=page.id, page={}, **values) for page in pages])
    yield opened
    opened.close()


def test_many_pages_take_as_many_queries_as_one(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda _c, _u, statement, *_: asked.append(statement))
    counts = []
    for many in (1, MANY):
        monkeypatch.setattr(revisions, "CACHE", revisions.SnapshotCache())
        with database.transaction(writes=False) as session:
            several = rows.every(session, HOST, CommentRow)[:many]
            asked.clear()
            shown = comments(View(session, AT, HOST), several)
        assert len(shown) == many
        assert all(one.target.page.outdated for one in shown)  # type: ignore[union-attr]
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 8, counts


def test_documents_are_read_one_after_the_other_and_no_more_than_is_bearable(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that were changed as a whole keep their comments as far as they can be looked at."""
    documents = [{**DOCUMENT, "data": {"number": f"{number:03}"}} for number in range(MANY)]
    same = said(DOCUMENT, "k", None, None)
    assert same is not None
    with database.transaction(writes=True) as session:
        pages = [
            Page(f"p{number}", title="Page", slug=f"p{number}", document=revisions.name_of(document))
            for number, document in enumerate(documents)
        ]
        revisions.write(session, "s", Snapshot(pages), documents, id="next")
        session.get_one(SpaceRow, "s").revision_id = "next"
        for row in rows.every(session, HOST, CommentRow):
            row.node_digest = same.digest
    size = len(json.dumps(documents[0], separators=(",", ":")))
    for most, read in ((10 * size, 10), (comment_targets.MOST_READ, MANY)):
        monkeypatch.setattr(comment_targets, "MOST_READ", most)
        with database.transaction(writes=False) as session:
            shown = comments(View(session, AT, HOST), rows.every(session, HOST, CommentRow))
        assert sum(not one.target.page.outdated for one in shown) == read  # type: ignore[union-attr]
