"""Creates change requests, edits their content, updates and merges them.

A new revision of a space is written while holding the lock of its content until the transaction ends. Merging may take
seconds, and SQLite has a single writer: so the merge is computed before, without the lock, and repeated if one of the
sides has changed when the lock is held. Of two concurrent merges, the second is merged with the result of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.change_requests import (
    Change,
    Conflict,
    CreateChangeRequest,
    RequestReviewers,
    UpdateChangeRequest,
)
from runtime.contract.document_size import size_problem
from runtime.contract.timestamps import wire_time
from runtime.serializers.file_urls import address_of
from runtime.services import content, content_quota, disk_room, quotas, semantic_changes
from runtime.services.current_revision import set_current_revision
from runtime.services.describing import describe
from runtime.services.editing import Editor, Node, too_much
from runtime.services.merging.snapshots import Merge, merge_snapshots
from runtime.store import change_requests as stored
from runtime.store import locks, membership, rows
from runtime.store.content import revisions
from runtime.store.content.entries import File
from runtime.store.content.revisions import name_of, snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

CLOSED = {
    "merged": "This change request is merged, and cannot be changed; create another one.",
    "archived": "This change request is archived; set its `status` to `open` first.",
}
"""Status of a change request that cannot be changed -> the message that says so."""
MAX_OPEN, MAX_EVER = 2000, 100_000
"""Maximum change requests of a space: drafts and open ones, and ever created ones."""
FULL = (
    "This space has {most} change requests that are drafts or open, which is the maximum; merge or archive some first."
)
FULL_FOREVER = (
    "A space has at most {most} change requests, including closed ones; continue in a duplicate of the space."
)
CHANGED_MEANWHILE = (
    "The changes were made on revision {made_on}, but the latest revision of the change request is {latest}. Read that "
    "one, and apply your changes to it."
)
NOT_GROWING = ("delete_", "move_")
MAX_REVIEWERS = 200
"""Maximum requested reviewers of one change request."""
FULL_OF_REVIEWERS = (
    "At most {most} people are asked to review a change request; withdraw some, or continue in another change request."
)
Way = Literal["merge", "update"]


class Outcome(NamedTuple):
    """The resulting revision, or the change request's own if there are conflicts."""

    revision: str
    conflicts: Sequence[Conflict]


class Prepared(NamedTuple):
    """A computed merge with its revisions: the ancestor, the space's and the change request's."""

    way: Way
    ancestor: str
    space: str
    change_request: str
    merged: Merge

    @property
    def of(self) -> tuple[str, str, str]:
        """The revisions that it was computed from."""
        return self.ancestor, self.space, self.change_request


def create(session: Session, space: SpaceRow, user_id: str, body: CreateChangeRequest) -> ChangeRequestRow:
    """Create a change request from the current content of the space; raises BadRequest if there are too many."""
    lock(session, space)
    number = stored.next_number(session, space.id)
    if number > MAX_EVER:
        raise errors.BadRequest(FULL_FOREVER.format(most=f"{MAX_EVER:,}"))
    _enforce_open_limit(session, space)
    row = ChangeRequestRow(
        space_id=space.id,
        number=number,
        subject=body.subject,
        user_id=user_id,
        contributors={user_id: {"count": 0, "updatedAt": wire_time(now())}},
        revision_id=space.revision_id,
        initial_id=space.revision_id,
        ancestor_id=space.revision_id,
    )
    session.add(row)
    session.flush()
    return row


def update(session: Session, space: SpaceRow, row: ChangeRequestRow, body: UpdateChangeRequest) -> None:
    """Change the subject, description or status of a change request.

    Raises BadRequest for a merged one, and for reopening one if too many are open.
    """
    lock(session, space)
    locks.refresh(session, row)  # it may have been merged a moment ago
    if row.status == "merged":
        raise errors.BadRequest(CLOSED["merged"])
    if row.status in CLOSED and body.status not in (MISSING, *CLOSED):
        _enforce_open_limit(session, space)
    describe(session, row, body)
    if body.status is not MISSING:
        row.status = body.status
    session.flush()


def _enforce_open_limit(session: Session, space: SpaceRow) -> None:
    going_on = ChangeRequestRow.status.in_(("draft", "open"))
    quotas.enforce(session, ChangeRequestRow, MAX_OPEN, FULL, going_on, space_id=space.id)


def content_of(session: Session, row: ChangeRequestRow) -> RevisionRow:
    """Find the current revision of a change request."""
    return _revision(session, row.space_id, row.revision_id)


def ancestor_of(session: Session, row: ChangeRequestRow) -> RevisionRow:
    """Find the revision of the space that a change request is compared with."""
    return _revision(session, row.space_id, row.ancestor_id)


def changes(session: Session, row: ChangeRequestRow, at: Addresses) -> list[semantic_changes.SemanticChange]:
    """List the changes of a change request, also after it was merged."""
    before, after = (_snapshot(session, row.space_id, one) for one in (row.ancestor_id, row.revision_id))
    return semantic_changes.between(before, after, partial(address_of, at, row.space_id))


def change(
    session: Session,
    space: SpaceRow,
    row: ChangeRequestRow,
    user_id: str,
    changes_: Sequence[tuple[Change, Node | None]],
    made_on: str | None = None,
) -> tuple[str, list[str]]:
    """Apply changes, each with the document it writes, as one revision.

    Returns the id of the revision and those of added items. Raises Conflict if they were made on another revision than
    the latest one.
    """

    def apply(editor: Editor) -> None:
        if made_on not in (None, row.revision_id):  # known only now: the row was read again under its lock
            raise errors.Conflict(CHANGED_MEANWHILE.format(made_on=made_on, latest=row.revision_id))
        for place, (one, document) in enumerate(changes_):
            try:
                editor.apply(one, document)
            except errors.BadRequest as error:  # with its own field said behind the number: `changes.0: id: ...`
                raise errors.BadRequest(error.message, field=f"changes.{place}") from None

    if any(one.type.startswith("move_") for one, _ in changes_):
        disk_room.enforce(session)  # deletions go on: they free what they can
    return _edit(session, space, row, user_id, apply, any(not one.type.startswith(NOT_GROWING) for one, _ in changes_))


def put_file(session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, file: File) -> str:
    """Add a file, or replace its bytes; returns the id of the revision. Raises BadRequest if there is no room."""

    def apply(editor: Editor) -> None:
        content_quota.for_files(session, space.id, {file.blob: file.size})
        editor.put_file(file)

    return _edit(session, space, row, user_id, apply)[0]


def _edit(
    session: Session,
    space: SpaceRow,
    row: ChangeRequestRow,
    user_id: str,
    apply: Callable[[Editor], None],
    grows: bool = True,
) -> tuple[str, list[str]]:
    lock(session, space)
    refresh_open(session, row)
    editor = Editor(_snapshot(session, row.space_id, row.revision_id), wire_time(now()))
    apply(editor)
    made = write_revision(
        session, row, user_id, editor.snapshot(), editor.documents.values(), "edits", [row.revision_id], grows=grows
    )
    return made.id, editor.added


def prepare(session: Session, row: ChangeRequestRow, way: Way) -> Prepared:
    """Compute a merge of a change request and its space, without a lock: it may take seconds.

    Raises BadRequest for a change request that is merged or archived, and if the result exceeds a limit.
    """
    check_open(row)
    space = rows.find(session, HOST, SpaceRow, id=row.space_id)
    if space is None:
        raise errors.NotFound("The space was deleted a moment ago.")
    sides = (space.revision_id, row.revision_id)
    ours, theirs = sides if way == "merge" else sides[::-1]
    merged = _merge(session, row, space, ours=ours, theirs=theirs)
    problem = too_much(merged.snapshot) if merged.snapshot is not None else None
    if problem is not None:
        raise errors.BadRequest(f"Together they exceed a limit: {problem}.")
    for document in merged.documents:
        problem = size_problem(document)
        if problem is not None:
            raise errors.BadRequest(f"Together they exceed a limit: {_titled(merged, name_of(document))} {problem}.")
    return Prepared(way, row.ancestor_id, *sides, merged)


def _titled(merged: Merge, document: str) -> str:
    """Name the page, or the reusable content, that has a document."""
    assert merged.snapshot is not None, "documents are of a snapshot"
    every: list[Any] = [*merged.snapshot.pages, *merged.snapshot.reusable_contents]
    return next((f"`{one.title[:60]}`" for one in every if one.document == document), "a document")


def finish(
    session: Session, at: Addresses, space: SpaceRow, row: ChangeRequestRow, user_id: str, prepared: Prepared
) -> Outcome | None:
    """Write a computed merge; None if one of the sides has changed meanwhile. With conflicts, nothing changes.

    Changes of the space are kept. Integrations that read its content are notified of its new revision.
    """
    lock(session, space)
    refresh_open(session, row)
    if (row.ancestor_id, space.revision_id, row.revision_id) != prepared.of:
        return None
    merged = prepared.merged
    if merged.snapshot is None:
        return Outcome(row.revision_id, _conflicts(merged))
    if prepared.way == "update":
        return _bring_up_to_date(session, space, row, user_id, merged.snapshot, merged.documents)
    parents = [space.revision_id, row.revision_id]
    values = {"type": "merge", "parents": parents, "user_id": user_id, "merged_from": row.id}
    before = _revision(session, space.id, row.revision_id)
    made = revisions.write(session, space.id, merged.snapshot, merged.documents, before=before, **values)
    row.status, row.merged_id = "merged", made.id
    set_current_revision(session, at, space, made)
    return Outcome(made.id, ())


def _bring_up_to_date(
    session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, snapshot: Snapshot, documents: Any
) -> Outcome:
    if row.ancestor_id == space.revision_id:
        row.merged_ancestor_id = space.revision_id
        session.flush()
        return Outcome(row.revision_id, ())
    parents = [row.revision_id, space.revision_id]
    made = write_revision(session, row, user_id, snapshot, documents, "update", parents)
    row.ancestor_id = row.merged_ancestor_id = space.revision_id
    session.flush()
    return Outcome(made.id, ())


def request_reviewers(
    session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, body: RequestReviewers
) -> list[RequestedReviewerRow]:
    """Ask people who see the space for a review, including those asked before; a draft becomes open.

    Raises BadRequest for people who are not members of the organization or cannot see the space, and for too many.
    """
    lock(session, space)
    refresh_open(session, row)
    describe(session, row, body)
    asked = stored.reviewers(session, row.id, body.users)
    more = len(set(body.users) - asked.keys())
    quotas.enforce(session, RequestedReviewerRow, MAX_REVIEWERS, FULL_OF_REVIEWERS, more=more, change_request_id=row.id)
    for reviewer in dict.fromkeys(body.users):
        if not _sees(session, reviewer, space):
            raise errors.BadRequest(f"`{reviewer[:60]}` cannot see this space", field="users")
        one = asked.setdefault(reviewer, RequestedReviewerRow(change_request_id=row.id, user_id=reviewer))
        one.requested_by, one.revision_id, one.created_at = user_id, row.revision_id, now()
        session.add(one)
    if body.users and row.status == "draft":
        row.status = "open"
    session.flush()
    return [asked[reviewer] for reviewer in dict.fromkeys(body.users)]


def hold_open(session: Session, space: SpaceRow, row: ChangeRequestRow) -> None:
    """Lock a change request and reload it; raises BadRequest if it is merged or archived."""
    lock(session, space)
    refresh_open(session, row)


def _sees(session: Session, user_id: str, space: SpaceRow) -> bool:
    return membership.level_of_person(session, user_id, space) is not None


def lock(session: Session, space: SpaceRow) -> None:
    """Lock the content of a space until the transaction ends; raises NotFound if it was deleted."""
    locks.acquire(session, f"content of {space.id}")
    locks.refresh(session, space)
    if space.deleted_at is not None:
        raise errors.NotFound("The space was deleted a moment ago.")


def refresh_open(session: Session, row: ChangeRequestRow) -> None:
    """Reload a change request; raises BadRequest if it is merged or archived, NotFound if it is gone."""
    locks.read_anew(session, row)
    check_open(row)


def check_open(row: ChangeRequestRow) -> None:
    """Raise BadRequest for a change request that is merged or archived."""
    if row.status in CLOSED:
        raise errors.BadRequest(CLOSED[row.status])


def _revision(session: Session, space_id: str, revision_id: str) -> RevisionRow:
    row = rows.find(session, HOST, RevisionRow, id=revision_id, space_id=space_id)
    if row is None:
        raise LookupError(f"the space {space_id} has no revision {revision_id}")
    return row


def _snapshot(session: Session, space_id: str, revision_id: str) -> Snapshot:
    return snapshot_of(session, _revision(session, space_id, revision_id))


def _merge(session: Session, row: ChangeRequestRow, space: SpaceRow, *, ours: str, theirs: str) -> Merge:
    def document(name: str) -> dict[str, Any]:
        return dict(content.document_of(session, space.id, name))

    base, mine, other = (_snapshot(session, space.id, one) for one in (row.ancestor_id, ours, theirs))
    return merge_snapshots(base, mine, other, document)


def write_revision(
    session: Session,
    row: ChangeRequestRow,
    user_id: str,
    snapshot: Snapshot,
    documents: Any,
    kind: str,
    parents: list[str],
    *,
    grows: bool = True,
    **values: Any,
) -> RevisionRow:
    """Write the next revision of a change request, whose space is locked; `values` are other columns of its row.

    What only deletes or moves needs little room. Raises BadRequest for too many revisions, or too much content in them.
    """
    if sum(one["count"] for one in row.contributors.values()) % content_quota.SELDOM == 0:
        content_quota.for_revisions(session, row.space_id)
    content_quota.for_documents(session, row.space_id, grows=grows)
    values |= {"type": kind, "parents": parents, "user_id": user_id}
    before = _revision(session, row.space_id, row.revision_id)
    made = revisions.write(session, row.space_id, snapshot, documents, before=before, **values)
    row.revision_id = made.id
    count = row.contributors.get(user_id, {}).get("count", 0) + 1
    row.contributors = {**row.contributors, user_id: {"count": count, "updatedAt": wire_time(now())}}
    session.flush()
    return made


def _conflicts(merge_: Merge) -> list[Conflict]:
    return [
        Conflict(
            what=conflict.what,
            id=conflict.id,
            title=conflict.title,
            place=conflict.place or MISSING,
            message=conflict.sentence,
        )
        for conflict in merge_.conflicts
    ]
