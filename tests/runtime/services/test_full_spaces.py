"""A space with as many revisions or files as it may have takes no more; what was begun is merged all the same."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.change_requests import CreateChangeRequest, UpdateChangeRequest
from runtime.contract.comments import CommentBody, PostComment, UpdateComment
from runtime.contract.identifiers import new_id
from runtime.services import (
    change_requests,
    commenting,
    content,
    content_quota,
    disk_room,
    moving,
    organization_storage,
)
from runtime.services import spaces as space_service
from runtime.store import comments as stored_comments
from runtime.store import disk
from runtime.store import organization_storage as stored
from runtime.store.content import collecting, sizes
from runtime.store.content.entries import File
from runtime.store.database import Database, Table, now
from runtime.store.reach import HOST
from runtime.store.storage_limits import StorageLimits
from runtime.store.tables.blobs import SpaceBlobRow
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentReplyRow, CommentRow
from runtime.store.tables.content import ContentPieceRow, RevisionRow
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases

AT = Addresses("https://docs.example", "https://docs.example")
AT_ONCE = 4


class Ground:
    """A space with change requests."""

    def __init__(self, database: Database) -> None:
        self.database, self.user, self.space, self.requests = database, new_id(), new_id(), list[str]()
        self.organization = organization_id = new_id()
        with database.transaction(writes=True) as session:
            session.add(OrganizationRow(id=organization_id, title="O", hostname="o"))
            session.add(UserRow(id=self.user, display_name="U", email="u@example.com"))
            session.flush()
            space_service.add(session, SpaceRow(id=self.space, organization_id=organization_id, title="S", emoji="1"))
        for _ in range(AT_ONCE):
            with database.transaction(writes=True) as session:
                space = session.get_one(SpaceRow, self.space)
                body = CreateChangeRequest.model_validate({"subject": "S"})
                self.requests.append(change_requests.create(session, space, self.user, body).id)

    def put(self, request: str, size: int = 1) -> bool:
        """Put another file into a change request; tells whether there was room."""
        name = new_id()
        try:
            with self.database.transaction(writes=True) as session:
                space, row = session.get_one(SpaceRow, self.space), session.get_one(ChangeRequestRow, request)
                file = File(new_id(), None, name, "text/plain", size, name)
                change_requests.put_file(session, space, row, self.user, file)
        except errors.BadRequest as error:
            assert any(
                words in error.message for words in ("which is the maximum", "another space", "this host allows")
            )
            return False
        return True

    def put_at_once(self) -> list[bool]:
        """Put a file into each change request at the same moment."""
        barrier = threading.Barrier(AT_ONCE)

        def put(request: str) -> bool:
            barrier.wait()
            return self.put(request)

        with ThreadPoolExecutor(AT_ONCE) as threads:
            return list(threads.map(put, self.requests))

    def count(self, table: type[Table]) -> int:
        with self.database.transaction(writes=False) as session:
            query: Any = select(func.count()).select_from(table).filter_by(space_id=self.space)
            return int(session.scalar(query) or 0)


@pytest.fixture(params=databases.BOTH)
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    with databases.opened(tmp_path, request.param) as database:
        yield Ground(database)


@pytest.mark.parametrize(("most", "table"), [("MAX_REVISIONS", RevisionRow), ("MAX_BLOBS", SpaceBlobRow)])
def test_the_last_place_is_taken_once(
    most: str, table: type[Table], ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_quota, most, ground.count(table) + 1)
    assert sorted(ground.put_at_once()) == [False] * (AT_ONCE - 1) + [True]
    assert ground.count(table) == getattr(content_quota, most)


def test_one_change_request_fills_a_space_by_no_more_than_what_is_let_in_between(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_quota, "MAX_REVISIONS", 15)
    made = 0
    while ground.put(ground.requests[0]):
        made += 1
        assert made < 100
    assert 15 <= ground.count(RevisionRow) < 15 + content_quota.SELDOM


def test_what_was_begun_is_merged_into_a_full_space(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ground.put(ground.requests[0])
    monkeypatch.setattr(content_quota, "MAX_REVISIONS", ground.count(RevisionRow))
    assert not ground.put(ground.requests[1])
    with ground.database.transaction(writes=True) as session:
        space = session.get_one(SpaceRow, ground.space)
        row = session.get_one(ChangeRequestRow, ground.requests[0])
        prepared = change_requests.prepare(session, row, "merge")
        outcome = change_requests.finish(session, AT, space, row, ground.user, prepared)
        assert outcome is not None and row.status == "merged" and space.revision_id == row.merged_id


def test_a_space_with_as_many_bytes_as_there_may_be_is_only_merged(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ground.put(ground.requests[0])
    with ground.database.transaction(writes=False) as session:
        there = sizes.size_of(session, ground.space)
    assert there > 0
    monkeypatch.setattr(content_quota, "MAX_DOCUMENTS", there)
    assert ground.put_at_once() == [False] * AT_ONCE
    with ground.database.transaction(writes=True) as session:
        with pytest.raises(errors.BadRequest, match=f"have {there:,} bytes, compressed, which is the maximum"):
            content_quota.for_documents(session, ground.space)
        space = session.get_one(SpaceRow, ground.space)
        row = session.get_one(ChangeRequestRow, ground.requests[0])
        prepared = change_requests.prepare(session, row, "merge")
        assert change_requests.finish(session, AT, space, row, ground.user, prepared) is not None
        assert row.status == "merged"


def test_the_bytes_of_a_space_are_those_of_its_pieces(ground: Ground) -> None:
    def counted() -> tuple[int, int]:
        with ground.database.transaction(writes=False) as session:
            length = func.coalesce(func.sum(func.length(ContentPieceRow.content)), 0)
            pieces = session.scalar(select(length).where(ContentPieceRow.space_id == ground.space))
            return sizes.size_of(session, ground.space), int(pieces or 0)

    kept, pieces = counted()
    assert kept == pieces
    for _ in range(6):  # at the same moment, of which some write the same
        assert ground.put_at_once() == [True] * AT_ONCE
        kept, pieces = counted()
        assert kept == pieces
    with ground.database.transaction(writes=True) as session:
        long_ago = now() - timedelta(days=60)
        session.execute(update(ChangeRequestRow).values(status="archived", updated_at=long_ago))
        session.execute(update(RevisionRow).values(created_at=long_ago))
    assert collecting.collect(ground.database, ground.space, now()) > 0
    fewer, pieces = counted()
    assert fewer == pieces < kept


def test_no_more_is_copied_at_once_than_others_wait_for(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ground.put(ground.requests[0])
    with ground.database.transaction(writes=True) as session:
        space = session.get_one(SpaceRow, ground.space)
        space.revision_id = session.get_one(ChangeRequestRow, ground.requests[0]).revision_id
        session.flush()
        assert space_service.duplicate(session, space).id != space.id
        monkeypatch.setattr(content, "MAX_COPIED", 10)
        with pytest.raises(errors.BadRequest, match="copied at once"):
            space_service.duplicate(session, space)
        session.rollback()


def test_a_disk_that_is_almost_full_takes_nothing_new(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert ground.put(ground.requests[0])
    monkeypatch.setattr(disk_room, "limits_of", lambda session: StorageLimits(folder=tmp_path))
    assert ground.put(ground.requests[1])
    monkeypatch.setattr(disk, "KEPT_FREE", 2 * shutil.disk_usage(tmp_path).total)
    monkeypatch.setattr(disk, "KEPT_SHARE", 2)
    with pytest.raises(errors.Unavailable, match="almost full"):
        ground.put(ground.requests[1])
    with ground.database.transaction(writes=True) as session:
        space, row = session.get_one(SpaceRow, ground.space), session.get_one(ChangeRequestRow, ground.requests[0])
        prepared = change_requests.prepare(session, row, "merge")
        assert change_requests.finish(session, AT, space, row, ground.user, prepared) is not None


def test_an_organization_has_as_much_content_as_the_host_allows(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    megabyte = 1 << 20
    monkeypatch.setattr(organization_storage, "limits_of", lambda session: StorageLimits(4 / 1024))
    assert ground.put(ground.requests[0], 3 * megabyte)
    assert not ground.put(ground.requests[1], megabyte)
    assert ground.put(ground.requests[1], megabyte // 2)
    with ground.database.transaction(writes=True) as session:
        space, row = session.get_one(SpaceRow, ground.space), session.get_one(ChangeRequestRow, ground.requests[0])
        prepared = change_requests.prepare(session, row, "merge")
        assert change_requests.finish(session, AT, space, row, ground.user, prepared) is not None
    other, there, elsewhere = new_id(), new_id(), new_id()
    with ground.database.transaction(writes=True) as session:
        session.add_all(OrganizationRow(id=one, title="O", hostname=one.lower()) for one in (there, elsewhere))
        session.flush()
        space_service.add(session, SpaceRow(id=other, organization_id=there, title="S", emoji="1"))
        sizes.note(session, other, 0, files=2 * megabyte)
    for refused in ("copied", "given"):
        with ground.database.transaction(writes=True) as session:
            space = session.get_one(SpaceRow, ground.space)
            with pytest.raises(errors.BadRequest, match="this host allows"):
                if refused == "copied":
                    space_service.duplicate(session, space)
                else:
                    moving.transfer(session, HOST, space, session.get_one(OrganizationRow, there))
            session.rollback()
    with ground.database.transaction(writes=True) as session:
        moving.transfer(
            session, HOST, session.get_one(SpaceRow, ground.space), session.get_one(OrganizationRow, elsewhere)
        )
    with ground.database.transaction(writes=False) as session:
        assert stored.size_of(session, ground.organization) == 0
        assert 3 * megabyte < stored.size_of(session, elsewhere) < 4 * megabyte


def test_what_is_said_about_a_space_is_counted_in_bytes_and_off_again(ground: Ground) -> None:
    def size() -> int:
        with ground.database.transaction(writes=False) as session:
            return sizes.whole_size_of(session, [ground.space])

    said = {"body": {"markdown": "日" * 3000}}
    before = size()
    with ground.database.transaction(writes=True) as session:
        space = session.get_one(SpaceRow, ground.space)
        comment = commenting.post(session, space, ground.user, PostComment.model_validate(said))
        reply = commenting.reply(session, comment, ground.user, CommentBody.model_validate(said["body"]))
    assert size() > before + 4 * 9000
    with ground.database.transaction(writes=False) as session:
        content = sizes.size_of(session, ground.space)
    assert content <= before, "who may only comment uses up nothing of what there may be of content"
    with ground.database.transaction(writes=True) as session:
        one = session.get_one(CommentRow, comment.id)
        commenting.update(session, one, ground.user, UpdateComment.model_validate({"body": {"markdown": "short"}}))
    assert 2 * 9000 < size() - before < 3 * 9000
    with ground.database.transaction(writes=True) as session:
        assert commenting.remove(session, session.get_one(CommentReplyRow, reply.id))
        commenting.reply(session, session.get_one(CommentRow, comment.id), ground.user, CommentBody.model_validate({}))
    with ground.database.transaction(writes=True) as session:
        assert commenting.remove(session, session.get_one(CommentRow, comment.id))
    assert size() == before
    for description in ({"object": "document", "data": {"said": "日" * 300}, "nodes": []}, {}):
        with ground.database.transaction(writes=True) as session:
            space, row = session.get_one(SpaceRow, ground.space), session.get_one(ChangeRequestRow, ground.requests[0])
            body = UpdateChangeRequest.model_validate(
                {"description": {"object": "document", "data": {}, "nodes": []} | description}
            )
            change_requests.update(session, space, row, body)
        assert size() - before > (900 if description else 0)
    assert size() - before < 100


def test_what_is_changed_at_once_is_counted_once(ground: Ground) -> None:
    """Each takes off what it found: of several that find the same text, all would take it off."""
    with ground.database.transaction(writes=True) as session:
        long = PostComment.model_validate({"body": {"markdown": "x" * 4000}})
        comment = commenting.post(session, session.get_one(SpaceRow, ground.space), ground.user, long)
    barrier = threading.Barrier(AT_ONCE)

    def shorten(number: int) -> None:
        barrier.wait()
        try:
            with ground.database.transaction(writes=True) as session:
                row = session.get(CommentRow, comment.id)
                if row is None:
                    return
                if number:
                    body = UpdateComment.model_validate({"body": {"markdown": "s"}})
                    commenting.update(session, row, ground.user, body)
                    commenting.reply(session, row, ground.user, CommentBody.model_validate({"markdown": "reply"}))
                else:
                    commenting.remove(session, row)
        except errors.NotFound:
            return

    with ground.database.transaction(writes=False) as session:
        before = sizes.whole_size_of(session, [ground.space]) - stored_comments.size_of(
            session.get_one(CommentRow, comment.id)
        )
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(shorten, range(AT_ONCE)))
    with ground.database.transaction(writes=False) as session:
        assert session.get(CommentRow, comment.id) is None
        assert sizes.whole_size_of(session, [ground.space]) == before
