"""Makes change requests, changes their content, brings them up to date and merges them.

Whoever moves a space on to another revision holds the space's lock from before it is read until the transaction ends:
of two merges at the same moment the second one is merged with what the first one made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.base import wire_time
from runtime.contract.change_requests import (
    Change,
    Conflict,
    CreateChangeRequest,
    RequestReviewers,
    UpdateChangeRequest,
)
from runtime.dispatch import outbox
from runtime.services import content, semantic_changes
from runtime.services.editing import Editor, Node
from runtime.services.merging.snapshots import Merge, merge_snapshots
from runtime.store import change_requests as stored
from runtime.store import installed, locks, rows
from runtime.store.content import revisions
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import now
from runtime.store.levels import level_on
from runtime.store.reach import HOST, Reach
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.organizations import MemberRow
from runtime.store.tables.spaces import SpaceRow

CLOSED = ("merged", "archived")


class Outcome(NamedTuple):
    """The revision that came of it, or the change request's own where there are conflicts."""

    revision: str
    conflicts: Sequence[Conflict]


def create(session: Session, space: SpaceRow, user_id: str, body: CreateChangeRequest) -> ChangeRequestRow:
    """Begin a change request with what the space says now."""
    _lock(session, space)
    row = ChangeRequestRow(
        space_id=space.id,
        number=stored.next_number(session, space.id),
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


def update(session: Session, row: ChangeRequestRow, body: UpdateChangeRequest) -> None:
    """Change what is said of a change request; raises BadRequest for one that is merged."""
    if row.status == "merged" and body.status is not MISSING:
        raise errors.BadRequest("status: this change request is merged, and stays so")
    for field in ("subject", "description", "status"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(row, field, value)
    session.flush()


def changes(session: Session, row: ChangeRequestRow) -> list[semantic_changes.Change]:
    """List what a change request would change; one that is merged, what it has changed."""
    before, after = (_snapshot(session, row.space_id, one) for one in (row.ancestor_id, row.revision_id))
    return semantic_changes.between(before, after)


def change(
    session: Session,
    space: SpaceRow,
    row: ChangeRequestRow,
    user_id: str,
    changes_: Sequence[tuple[Change, Node | None]],
) -> tuple[str, list[str]]:
    """Make changes, each with the document it writes: one revision of all of them.

    Returns its id and the ids of what was added.
    """
    _lock(session, space)
    _open(session, row)
    editor = Editor(_snapshot(session, row.space_id, row.revision_id), wire_time(now()))
    for place, (one, document) in enumerate(changes_):
        try:
            editor.apply(one, document)
        except errors.BadRequest as error:
            raise errors.BadRequest(f"changes.{place}: {error.message}") from None
    made = _write(session, row, user_id, editor.snapshot(), editor.documents.values(), "edits", [row.revision_id])
    return made.id, editor.added


def bring_up_to_date(session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str) -> Outcome:
    """Merge what has become of the space into a change request; with conflicts nothing changes."""
    _lock(session, space)
    _open(session, row)
    if row.ancestor_id == space.revision_id:
        return Outcome(row.revision_id, ())
    merge = _merge(session, row, space, ours=row.revision_id, theirs=space.revision_id)
    if merge.snapshot is None:
        return Outcome(row.revision_id, _conflicts(merge))
    parents = [row.revision_id, space.revision_id]
    made = _write(session, row, user_id, merge.snapshot, merge.documents, "update", parents)
    row.ancestor_id = row.merged_ancestor_id = space.revision_id
    session.flush()
    return Outcome(made.id, ())


def merge(session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str) -> Outcome:
    """Make a change request the content of its space; with conflicts nothing changes.

    What has changed in the space meanwhile stays. Integrations that read its content hear of the new revision.
    """
    _lock(session, space)
    _open(session, row)
    result = _merge(session, row, space, ours=space.revision_id, theirs=row.revision_id)
    if result.snapshot is None:
        return Outcome(row.revision_id, _conflicts(result))
    parents = [space.revision_id, row.revision_id]
    values = {"type": "merge", "parents": parents, "user_id": user_id, "merged_from": row.id}
    before = _revision(session, space.id, row.revision_id)
    made = revisions.write(session, space.id, result.snapshot, result.documents, before=before, **values)
    row.status, row.merged_id = "merged", made.id
    show(session, space, made)
    return Outcome(made.id, ())


def show(session: Session, space: SpaceRow, revision: RevisionRow) -> None:
    """Make a revision the current one of its space, and tell integrations; the space's lock is held."""
    space.revision_id = revision.id
    session.flush()
    candidates = installed.in_organization(session, space.organization_id)
    outbox.emit(session, "space_content_updated", candidates, {"revisionId": revision.id}, space_id=space.id)


def request_reviewers(
    session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, body: RequestReviewers
) -> list[RequestedReviewerRow]:
    """Ask people who see the space to review a change request; a draft is open then. Those asked before are asked anew.

    Raises BadRequest for somebody who is no member of the organization, or does not see the space.
    """
    _lock(session, space)
    _open(session, row)
    for field in ("subject", "description"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(row, field, value)
    asked = stored.reviewers(session, row.id, body.users)
    for reviewer in dict.fromkeys(body.users):
        if not _sees(session, reviewer, space):
            raise errors.BadRequest(f"users: `{reviewer[:60]}` is nobody who sees this space")
        one = asked.setdefault(reviewer, RequestedReviewerRow(change_request_id=row.id, user_id=reviewer))
        one.requested_by, one.revision_id, one.created_at = user_id, row.revision_id, now()
        session.add(one)
    row.status = "open" if row.status == "draft" else row.status
    session.flush()
    return [asked[reviewer] for reviewer in dict.fromkeys(body.users)]


def _sees(session: Session, user_id: str, space: SpaceRow) -> bool:
    member = rows.find(session, HOST, MemberRow, organization_id=space.organization_id, user_id=user_id)
    if member is None:
        return False
    theirs = Reach("user", user_id=user_id, roles=frozenset({(space.organization_id, member.role)}))
    return level_on(session, theirs, space) is not None


def _lock(session: Session, space: SpaceRow) -> None:
    locks.acquire(session, f"content of {space.id}")
    session.refresh(space)
    if space.deleted_at is not None:
        raise errors.NotFound("The space was deleted a moment ago.")


def _open(session: Session, row: ChangeRequestRow) -> None:
    session.refresh(row)
    if row.status in CLOSED:
        raise errors.BadRequest(f"This change request is {row.status}.")


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


def _write(
    session: Session,
    row: ChangeRequestRow,
    user_id: str,
    snapshot: Snapshot,
    documents: Any,
    kind: str,
    parents: list[str],
) -> RevisionRow:
    values: dict[str, Any] = {"type": kind, "parents": parents, "user_id": user_id}
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
