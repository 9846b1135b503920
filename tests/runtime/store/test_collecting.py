"""What no revision needs goes, and nothing that one needs, whatever is written at the same time."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.store.blobs.store import GRACE
from runtime.store.content import collecting, references, revisions, sizes
from runtime.store.content.entries import File, Page
from runtime.store.content.revisions import CACHE, documents, name_of, snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database, now
from runtime.store.locks import acquire
from runtime.store.tables.blobs import SpaceBlobRow
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.content import ContentPieceRow, DocumentReferencesRow, RevisionRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World, named

LONG_AGO = collecting.KEPT + timedelta(days=1)


class Content:
    """A space whose revisions a test makes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.said: dict[str, tuple[Snapshot, dict[str, Any]]] = {}
        with database.transaction(writes=True) as session:
            space = SpaceRow(organization_id=named("organizations", "here"), title="S", emoji="")
            session.add(space)
            session.flush()
            self.space = space.id
            revisions.write(session, space.id, Snapshot(), id=space.revision_id)
            self.first = space.revision_id

    def write(self, pages: int, mark: str, parent: str, kind: str = "edits", session: Session | None = None) -> str:
        """Write a revision of so many pages, the first of which say something of their own."""
        texts = [{"nodes": [{"text": f"{number} {mark if number < 3 else ''}"}]} for number in range(pages)]
        names = [name_of(text) for text in texts]
        snapshot = Snapshot(
            [Page(f"p{n}", title=f"Page {n}", slug=f"p{n}", document=name) for n, name in enumerate(names)],
            [File("file", name="a", blob=f"blob {mark}", size=1)],
        )
        if session is not None:
            row = revisions.write(session, self.space, snapshot, texts, type=kind, parents=[parent])
        else:
            with self.database.transaction(writes=True) as own:
                acquire(own, f"content of {self.space}")
                row = revisions.write(own, self.space, snapshot, texts, type=kind, parents=[parent])
        self.said[row.id] = snapshot, dict(zip(names, texts, strict=True))
        return row.id

    def request(self, revision: str, **more: Any) -> str:
        with self.database.transaction(writes=True) as session:
            number = (session.scalar(select(func.max(ChangeRequestRow.number))) or 0) + 1
            row = ChangeRequestRow(
                space_id=self.space,
                number=number,
                user_id=named("users", "here"),
                revision_id=revision,
                initial_id=self.first,
                ancestor_id=self.first,
                **more,
            )
            session.add(row)
            session.flush()
            return row.id

    def show(self, revision: str) -> None:
        with self.database.transaction(writes=True) as session:
            session.execute(update(SpaceRow).where(SpaceRow.id == self.space).values(revision_id=revision))

    def age(self, *ids: str) -> None:
        old = now() - LONG_AGO
        with self.database.transaction(writes=True) as session:
            session.execute(update(RevisionRow).where(RevisionRow.id.in_(ids)).values(created_at=old))
            session.execute(update(SpaceBlobRow).values(added_at=now() - GRACE - timedelta(hours=1)))

    def collect(self) -> int:
        return collecting.collect(self.database, self.space, now() - collecting.KEPT)

    def left(self) -> set[str]:
        with self.database.transaction(writes=False) as session:
            query = select(RevisionRow.id).where(RevisionRow.space_id == self.space)
            return set(session.scalars(query)) - {self.first}

    def names(self, table: Any) -> set[Any]:
        with self.database.transaction(writes=False) as session:
            return set(session.scalars(select(table.name).where(table.space_id == self.space)))

    def check(self) -> None:
        """Read every revision that is left, whole, as another process would."""
        with self.database.transaction(writes=False) as session:
            for revision_id in self.left():
                CACHE.forget(revision_id)
                row = session.get(RevisionRow, revision_id)
                assert row is not None
                snapshot, texts = self.said[revision_id]
                assert snapshot_of(session, row) == snapshot
                assert documents(session, self.space, texts) == texts
                assert {file.blob for file in snapshot.files} <= self.names(SpaceBlobRow)
            of_files = select(func.coalesce(func.sum(SpaceBlobRow.size), 0)).where(SpaceBlobRow.space_id == self.space)
            files = session.scalar(of_files)
            assert files is not None
            whole = sizes.size_of(session, self.space) + int(files)
            assert sizes.whole_size_of(session, [self.space]) == whole


@pytest.fixture
def content(world: World) -> Iterator[Content]:
    yield Content(world.database)


def test_steps_go_and_what_is_named_stays(content: Content) -> None:
    first = content.write(100, "a", content.first)
    second = content.write(100, "b", first)
    third = content.write(100, "c", second)
    content.request(third)
    content.age(first, second, third)
    before = content.names(ContentPieceRow)
    assert content.collect() == 2
    assert content.left() == {third}
    content.check()
    gone = before - content.names(ContentPieceRow)
    assert {bytes.fromhex(name) for name in content.said[first][1]} & gone
    assert not {bytes.fromhex(name) for name in content.said[third][1]} & gone
    assert content.names(SpaceBlobRow) == {"blob c"}
    assert content.collect() == 0


def test_what_the_space_ever_said_stays(content: Content) -> None:
    parent = content.first
    chain = []
    for mark in "abc":
        parent = content.write(10, mark, parent)
        chain.append(parent)
    content.show(parent)
    content.age(*chain)
    assert content.collect() == 0 and content.left() == set(chain)


def test_what_is_new_or_commented_stays(content: Content) -> None:
    old, commented, new = (content.write(10, mark, content.first) for mark in "abc")
    comment = {"place_id": content.space, "space_id": content.space, "user_id": named("users", "here")}
    with content.database.transaction(writes=True) as session:
        session.add(CommentRow(**comment, revision_id=commented, document={}, markdown=""))
    content.age(old, commented)
    assert content.collect() == 1 and content.left() == {commented, new}
    content.check()


def test_references_go_with_their_documents(content: Content) -> None:
    link = {"object": "inline", "type": "link", "data": {"ref": {"kind": "page", "page": "x"}}, "nodes": []}
    document = {"nodes": [link]}
    with content.database.transaction(writes=True) as session:
        snapshot = Snapshot([Page("p", document=name_of(document))])
        row = revisions.write(session, content.space, snapshot, [document], parents=[content.first])
    assert content.names(DocumentReferencesRow) == {bytes.fromhex(name_of(document))}
    content.age(row.id)
    assert content.collect() == 1
    assert content.names(DocumentReferencesRow) == set()
    with content.database.transaction(writes=False) as session:
        assert references.read(session, content.space, [name_of(document)]) == {}


@pytest.mark.parametrize("seed", range(8))
def test_any_history_is_read_as_before(content: Content, seed: int) -> None:
    chance = random.Random(seed)
    ids = [content.first]
    for step in range(25):
        ids.append(content.write(chance.choice((3, 40, 90)), str(chance.randrange(8)), chance.choice(ids)))
        if chance.random() < 0.2:
            content.show(ids[-1])
        if chance.random() < 0.3:
            content.request(chance.choice(ids), merged_id=chance.choice([None, *ids]))
        if step % 8 == 7:
            content.age(*chance.sample(ids, len(ids) // 2))
            content.collect()
            ids = [content.first, *(one for one in ids if one in content.left())]
            content.check()


def test_what_is_needed_again_meanwhile_stays(content: Content) -> None:
    """Some threads write what was just about to go, again and again, while it is collected."""
    stop = threading.Event()
    wrong: list[BaseException] = []

    def write(mark: str) -> None:
        try:
            while not stop.is_set():
                content.write(40, mark, content.first)
        except BaseException as error:
            wrong.append(error)
            raise

    writers = [threading.Thread(target=write, args=(str(number),)) for number in range(3)]
    for number in range(3):
        content.age(*(content.write(40, str(number), content.first) for _ in range(2)))
    for thread in writers:
        thread.start()
    gone = 0
    for _ in range(12):
        content.age(*random.sample(sorted(content.left()), len(content.left()) // 2))
        gone += content.collect()
    stop.set()
    for thread in writers:
        thread.join()
    assert not wrong and gone
    content.check()


def test_all_spaces_are_come_to(content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "SPACES", 2)
    every = [content, *(Content(content.database) for _ in range(4))]
    for one in every:
        one.age(one.write(5, new_id(), one.first))
    after, steps = "", 0
    while True:
        after = collecting.collect_some(content.database, after)
        steps += 1
        if not after:
            break
    assert not any(one.left() for one in every) and steps >= 3
