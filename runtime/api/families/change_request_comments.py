"""Comments on change requests, and the replies to them."""

from __future__ import annotations

from runtime.api import commenting
from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST
from runtime.api.families.members import MEMBER
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource, RowsOf
from runtime.contract.comments import (
    Comment,
    CommentQuery,
    CommentReply,
    FormatQuery,
    PostComment,
    PostReply,
    RepliesQuery,
    UpdateComment,
    UpdateReply,
)
from runtime.serializers import comments as serializers
from runtime.store import comments as stored
from runtime.store.cursors import Order, newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentReplyRow, CommentRow
from runtime.store.tables.spaces import SpaceRow

COMMENT = Resource(
    "change_request_comment",
    CommentRow,
    at="comments/{commentId}",
    within=CHANGE_REQUEST,
    parent_column="place_id",
    model=Comment,
    serialize=serializers.comments,
    order=newest_first(CommentRow.posted_at, CommentRow.id),
    beside=stored.length_of_reactions(CommentRow),
)
REPLY = Resource(
    "change_request_comment_reply",
    CommentReplyRow,
    at="replies/{commentReplyId}",
    within=COMMENT,
    parent_column="comment_id",
    model=CommentReply,
    serialize=serializers.replies,
    order=(Order(CommentReplyRow.posted_at), Order(CommentReplyRow.id)),
    beside=stored.length_of_reactions(CommentReplyRow),
)

change_request_comments = Family("Change request comments", COMMENT, REPLY)


@change_request_comments.list(f"GET {COMMENT.collection}", COMMENT, needs=member("read"))
def list_comments_in_change_request(call: Call, change_request: ChangeRequestRow, query: CommentQuery) -> RowsOf:
    """List the comments on a change request."""
    return commenting.listed(COMMENT, change_request, query)


@change_request_comments.operation(f"POST {COMMENT.collection}", COMMENT, needs=member("comment"))
def post_comment_in_change_request(call: Call, change_request: ChangeRequestRow, body: PostComment) -> CommentRow:
    """Comment on a change request, or on something on a page of it."""
    return commenting.post(call, change_request, body)


@change_request_comments.operation(f"GET {COMMENT.path}", Comment, needs=member("read"))
def get_comment_in_change_request(call: Call, change_request_comment: CommentRow, query: FormatQuery) -> Comment:
    """Get a comment on a change request."""
    return commenting.shown(call, change_request_comment, query.format)


@change_request_comments.operation(f"PUT {COMMENT.path}", COMMENT, needs=member("comment"))
def update_comment_in_change_request(call: Call, change_request_comment: CommentRow, body: UpdateComment) -> CommentRow:
    """Change a comment on a change request, resolve it, or react to it."""
    return commenting.update(call, change_request_comment, body)


@change_request_comments.operation(f"DELETE {COMMENT.path}", needs=member("comment"), status=205)
def delete_comment_in_change_request(call: Call, change_request_comment: CommentRow | None) -> None:
    """Delete a comment on a change request, with its replies."""
    commenting.remove(call, change_request_comment)


@change_request_comments.list(f"GET {REPLY.collection}", REPLY, needs=member("read"))
def list_comment_replies_in_change_request(
    call: Call, change_request_comment: CommentRow, query: RepliesQuery
) -> RowsOf:
    """List the replies to a comment on a change request, the first ones first."""
    return commenting.listed_replies(REPLY, change_request_comment, query)


@change_request_comments.operation(f"POST {REPLY.collection}", CommentReply, needs=member("comment"))
def post_comment_reply_in_change_request(
    call: Call, change_request_comment: CommentRow, query: FormatQuery, body: PostReply
) -> CommentReply:
    """Reply to a comment on a change request."""
    reply = commenting.reply_to(call, change_request_comment, body.body)
    return commenting.shown_reply(call, reply, query.format)


@change_request_comments.operation(f"GET {REPLY.path}", CommentReply, needs=member("read"))
def get_comment_reply_in_change_request(
    call: Call, change_request_comment_reply: CommentReplyRow, query: FormatQuery
) -> CommentReply:
    """Get a reply to a comment on a change request."""
    return commenting.shown_reply(call, change_request_comment_reply, query.format)


@change_request_comments.operation(f"PUT {REPLY.path}", REPLY, needs=member("comment"))
def update_comment_reply_in_change_request(
    call: Call, change_request_comment_reply: CommentReplyRow, body: UpdateReply
) -> CommentReplyRow:
    """Change a reply to a comment on a change request, or react to it."""
    return commenting.update_reply(call, change_request_comment_reply, body)


@change_request_comments.operation(f"DELETE {REPLY.path}", needs=member("comment"), status=205)
def delete_comment_reply_in_change_request(call: Call, change_request_comment_reply: CommentReplyRow | None) -> None:
    """Delete a reply to a comment on a change request."""
    commenting.remove(call, change_request_comment_reply)


@change_request_comments.list(f"GET {CHANGE_REQUEST.path}/commenters", MEMBER, needs=member("read"))
def list_commenters_in_change_request(call: Call, space: SpaceRow, change_request: ChangeRequestRow) -> Conditions:
    """List the members who commented on a change request."""
    return stored.commenters(space.organization_id, change_request.id)
