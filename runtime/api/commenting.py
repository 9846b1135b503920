"""What comments of spaces and of change requests have in common: who may change one, and how they are shown."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import MISSING

from runtime.api.call import Call, refusal
from runtime.api.resource import Resource, RowsOf
from runtime.contract import errors
from runtime.contract.comments import (
    Comment,
    CommentBody,
    CommentQuery,
    CommentReply,
    PostComment,
    RepliesQuery,
    UpdateComment,
    UpdateReply,
)
from runtime.contract.organizations import reaches
from runtime.contract.permissions import may_resolve
from runtime.serializers import comments as serializers
from runtime.services import commenting as service
from runtime.store import comments as stored
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentReplyRow, CommentRow
from runtime.store.tables.spaces import SpaceRow

Place = SpaceRow | ChangeRequestRow


def listed(resource: Resource[CommentRow], place: Place, query: CommentQuery) -> RowsOf:
    """List the comments of a space or a change request that a query asks for."""
    show = partial(serializers.comments, markdown=query.format == "markdown")
    return RowsOf(resource.shown_as(Comment, show), stored.matching(place.id, query))


def listed_replies(resource: Resource[CommentReplyRow], comment: CommentRow, query: RepliesQuery) -> RowsOf:
    """List the replies to a comment."""
    show = partial(serializers.replies, markdown=query.format == "markdown")
    return RowsOf(resource.shown_as(CommentReply, show), [CommentReplyRow.comment_id == comment.id])


def shown(call: Call, comment: CommentRow, form: str | None) -> Comment:
    """Show a comment in a form."""
    answer: Comment = call.show(partial(serializers.comments, markdown=form == "markdown"), comment)
    return answer


def shown_reply(call: Call, reply: CommentReplyRow, form: str | None) -> CommentReply:
    """Show a reply in a form."""
    answer: CommentReply = call.show(partial(serializers.replies, markdown=form == "markdown"), reply)
    return answer


def post(call: Call, place: Place, body: PostComment) -> CommentRow:
    """Comment on a space or a change request."""
    return service.post(call.session, place, _user(call), body)


def reply_to(call: Call, comment: CommentRow, body: CommentBody) -> CommentReplyRow:
    """Reply to a comment."""
    return service.reply(call.session, comment, _user(call), body)


def update(call: Call, comment: CommentRow, body: UpdateComment) -> CommentRow:
    """Change a comment; raises Forbidden for changes that only its author, an administrator or a reviewer may make."""
    if body.body is not MISSING:
        _require_author(call, comment)
    if body.resolved is not MISSING and not may_resolve(_level(call), own=_own(call, comment)):
        raise errors.Forbidden(refusal(call.actor, "the role `review`, or a comment of your own", _level(call)))
    service.update(call.session, comment, _user(call), body)
    return comment


def update_reply(call: Call, reply: CommentReplyRow, body: UpdateReply) -> CommentReplyRow:
    """Change a reply; raises Forbidden for changes that only its author, or an administrator, may make."""
    if body.body is not MISSING:
        _require_author(call, reply)
    service.update_reply(call.session, reply, _user(call), body)
    return reply


def remove(call: Call, row: CommentRow | CommentReplyRow | None) -> None:
    """Delete a comment with its replies, or a reply; raises Forbidden unless the caller is author or `admin`."""
    if row is not None:
        _require_author(call, row)
    if row is None or not service.remove(call.session, row):
        call.status = 204


def _require_author(call: Call, row: CommentRow | CommentReplyRow) -> None:
    if not _own(call, row) and not reaches(_level(call), "admin"):
        raise errors.Forbidden(refusal(call.actor, "the role `admin`, or a comment or reply of your own", _level(call)))


def _own(call: Call, row: CommentRow | CommentReplyRow) -> bool:
    return row.user_id == _user(call)


def _level(call: Call) -> Any:
    return call.named.levels["space"]


def _user(call: Call) -> str:
    user_id = call.actor.reach.user_id
    assert user_id is not None, "the needs of these operations admit people alone"
    return user_id
