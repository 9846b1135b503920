"""Writes comments and replies, resolves threads, and stores reactions (docs/contract/api.md, "Comments")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.comments import (
    MAX_REACTIONS,
    PREVIEW,
    CommentBody,
    PostComment,
    UpdateComment,
    UpdateReply,
)
from runtime.contract.document_nodes import said
from runtime.serializers.comment_targets import page_of
from runtime.services import content, organization_storage, quotas
from runtime.services.documents import markdown_of_sent, read_briefly
from runtime.store import comments as stored
from runtime.store import locks, rows
from runtime.store.content import sizes
from runtime.store.content.entries import Page
from runtime.store.content.revisions import snapshot_of
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentReactionRow, CommentReplyRow, CommentRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

MAX_COMMENTS = MAX_REPLIES = 20_000
"""Maximum of a space, including those on its change requests."""
MAX_PEOPLE = 1000
"""Maximum reactions to one comment or reply."""
FULL_OF_COMMENTS = (
    "This space has {most} comments, including those on its change requests, which is the maximum; delete some first."
)
FULL_OF_REPLIES = "The comments of this space have {most} replies, which is the maximum; delete some first."
HOW_TO_NAME = "name a node by its `key`, its `meta.id` or the anchor of a heading, and a cell by the ids of its table"
FULL_OF_REACTIONS = "This has {most} reactions, which is the maximum; remove one of yours first, or reply to it."


def post(session: Session, place: SpaceRow | ChangeRequestRow, user_id: str, body: PostComment) -> CommentRow:
    """Comment on a space or a change request.

    Raises BadRequest for a page, a node or a cell that does not exist, and if there are too many comments.
    """
    on_change_request = isinstance(place, ChangeRequestRow)
    row = CommentRow(
        place_id=place.id,
        space_id=place.space_id if isinstance(place, ChangeRequestRow) else place.id,
        change_request_id=place.id if on_change_request else None,
        user_id=user_id,
        revision_id=place.revision_id,
        **_written(body.body),
    )
    _aim(session, row, body)
    quotas.enforce(session, CommentRow, MAX_COMMENTS, FULL_OF_COMMENTS, space_id=row.space_id)
    session.add(row)
    session.flush()
    _count(session, row)
    return row


def reply(session: Session, comment: CommentRow, user_id: str, body: CommentBody) -> CommentReplyRow:
    """Reply to a comment; raises BadRequest if there are too many replies."""
    _lock(session, comment)
    quotas.enforce(session, CommentReplyRow, MAX_REPLIES, FULL_OF_REPLIES, space_id=comment.space_id)
    row = CommentReplyRow(comment_id=comment.id, space_id=comment.space_id, user_id=user_id, **_written(body))
    session.add(row)
    session.flush()
    _count(session, row)
    return row


def update(session: Session, row: CommentRow, user_id: str, body: UpdateComment) -> None:
    """Change, resolve or reopen a comment, and react to it; a resolved one keeps who resolved it."""
    _change(session, row, user_id, body)
    if body.resolved is not MISSING and body.resolved != (row.resolved_by_id is not None):
        row.resolved_by_id = user_id if body.resolved else None
        row.resolved_at = now() if body.resolved else None
    session.flush()


def update_reply(session: Session, row: CommentReplyRow, user_id: str, body: UpdateReply) -> None:
    """Change a reply, and react to it."""
    _change(session, row, user_id, body)
    session.flush()


def remove(session: Session, row: CommentRow | CommentReplyRow) -> bool:
    """Delete a comment with its replies, or a reply; False where somebody else did."""
    _lock(session, row)
    size = stored.size_of(row)
    if isinstance(row, CommentRow):
        size += stored.size_of_replies(session, row.id)
    gone = rows.remove(session, row)
    if gone:
        sizes.note(session, row.space_id, comments=-size)
    return gone


def _lock(session: Session, row: CommentRow | CommentReplyRow) -> None:
    """Lock the thread of a text and read it again, so that its size is counted right; raises NotFound if deleted."""
    locks.acquire(session, f"thread {row.comment_id if isinstance(row, CommentReplyRow) else row.id}")
    locks.refresh(session, row)


def _count(session: Session, row: CommentRow | CommentReplyRow, before: int = 0) -> None:
    """Count a text into what its organization stores; raises BadRequest where it may store no more."""
    more = stored.size_of(row) - before
    if more > 0:
        organization_storage.enforce_for_space(session, row.space_id, more)
    sizes.note(session, row.space_id, comments=more)


def _change(
    session: Session, row: CommentRow | CommentReplyRow, user_id: str, body: UpdateComment | UpdateReply
) -> None:
    if body.body is not MISSING:
        _lock(session, row)
        before = stored.size_of(row)
        for column, value in _written(body.body).items():
            setattr(row, column, value)
        row.edited_at = now()
        _count(session, row, before)
    if body.removed_reactions is not MISSING:
        stored.unreact(session, row.id, user_id, body.removed_reactions)
    if body.added_reactions is not MISSING:
        _react(session, row, user_id, body.added_reactions)


def _react(session: Session, row: CommentRow | CommentReplyRow, user_id: str, emoji: Sequence[str]) -> None:
    """Add reactions; raises BadRequest if there would be too many different ones."""
    locks.acquire(session, f"reactions to {row.id}")
    if len(stored.emoji_of(session, row.id) | set(emoji)) > MAX_REACTIONS:
        raise errors.BadRequest(
            f"a comment has at most {MAX_REACTIONS} different reactions; add one that it already has",
            field="addedReactions",
        )
    more = len(set(emoji) - stored.emoji_of(session, row.id, user_id))
    quotas.enforce(session, CommentReactionRow, MAX_PEOPLE, FULL_OF_REACTIONS, more=more, on_id=row.id)
    of_reply = isinstance(row, CommentReplyRow)
    comment_id = row.comment_id if isinstance(row, CommentReplyRow) else row.id
    values: dict[str, Any] = {"on_id": row.id, "user_id": user_id, "comment_id": comment_id}
    values |= {"reply_id": row.id if of_reply else None, "reacted_at": now()}
    stored.react(session, [{**values, "emoji": one} for one in dict.fromkeys(emoji)])


def _written(body: CommentBody) -> dict[str, Any]:
    """Store a body as document and Markdown; sent Markdown is kept unchanged.

    Raises BadRequest for a document whose blocks lack what their kinds have, which `check_document` does not look at.
    """
    if body.document is not MISSING:
        return {"document": body.document, "markdown": markdown_of_sent(body.document, "body.document")}
    markdown = "" if body.markdown is MISSING else body.markdown
    return {"document": read_briefly(markdown, "body.markdown"), "markdown": markdown}


def _aim(session: Session, row: CommentRow, body: PostComment) -> None:
    """Store the current state of a comment's target."""
    if body.page is MISSING:
        if body.node is not MISSING or body.table_cell is not MISSING:
            raise errors.BadRequest(
                "`node` and `tableCell` need the page they are on; send `page` as well", field="page"
            )
        return
    page = _page(session, row, body.page)
    if body.node is MISSING and body.table_cell is MISSING:
        return
    document = content.document_of(session, row.space_id, page.document)
    row.node_id = None if body.node is MISSING else body.node
    if body.table_cell is not MISSING:
        row.record_id, row.definition_id = body.table_cell.record, body.table_cell.definition
    found = said(document, row.node_id, row.record_id, row.definition_id)
    if found is None:
        field, what = ("tableCell", "cell") if row.record_id is not None else ("node", "node")
        raise errors.BadRequest(f"there is no such {what} on the page `{page.id}`; {HOW_TO_NAME}", field=field)
    row.node_preview, row.node_digest = found.text[:PREVIEW], found.digest


def _page(session: Session, row: CommentRow, page_id: str) -> Page:
    revision = rows.find(session, HOST, RevisionRow, id=row.revision_id, space_id=row.space_id)
    if revision is None:
        raise LookupError(f"the space {row.space_id} has no revision {row.revision_id}")
    snapshot = snapshot_of(session, revision)
    page, path = snapshot.page_by_id.get(page_id), snapshot.path_of.get(page_id)
    if page is None or path is None:
        raise errors.BadRequest(
            f"there is no page `{page_id[:60]}` in the revision the comment is on; list its pages", field="page"
        )
    row.page_id, row.page, row.document_id = page.id, page_of(page, path), page.document
    return page
