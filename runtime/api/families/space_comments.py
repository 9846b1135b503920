"""Comments on spaces, and the replies to them."""

from __future__ import annotations

from runtime.api import commenting
from runtime.api.call import Call
from runtime.api.families.members import MEMBER
from runtime.api.families.spaces import SPACE
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
from runtime.store.tables.comments import CommentReplyRow, CommentRow
from runtime.store.tables.spaces import SpaceRow

COMMENT = Resource(
    "comment",
    CommentRow,
    at="comments/{commentId}",
    within=SPACE,
    parent_column="place_id",
    model=Comment,
    serialize=serializers.comments,
    order=newest_first(CommentRow.posted_at, CommentRow.id),
    beside=stored.length_of_reactions(CommentRow),
)
REPLY = Resource(
    "comment_reply",
    CommentReplyRow,
    at="replies/{commentReplyId}",
    within=COMMENT,
    parent_column="comment_id",
    model=CommentReply,
    serialize=serializers.replies,
    order=(Order(CommentReplyRow.posted_at), Order(CommentReplyRow.id)),
    beside=stored.length_of_reactions(CommentReplyRow),
)

space_comments = Family("Space comments", COMMENT, REPLY)


@space_comments.list(f"GET {COMMENT.collection}", COMMENT, needs=member("read"))
def list_comments_in_space(call: Call, space: SpaceRow, query: CommentQuery) -> RowsOf:
    """List the comments on a space."""
    return commenting.listed(COMMENT, space, query)


@space_comments.operation(f"POST {COMMENT.collection}", COMMENT, needs=member("comment"))
def post_comment_in_space(call: Call, space: SpaceRow, body: PostComment) -> CommentRow:
    """Comment on a space, or on something on a page of it."""
    return commenting.post(call, space, body)


@space_comments.operation(f"GET {COMMENT.path}", Comment, needs=member("read"))
def get_comment_in_space(call: Call, comment: CommentRow, query: FormatQuery) -> Comment:
    """Get a comment on a space."""
    return commenting.shown(call, comment, query.format)


@space_comments.operation(f"PUT {COMMENT.path}", COMMENT, needs=member("comment"))
def update_comment_in_space(call: Call, comment: CommentRow, body: UpdateComment) -> CommentRow:
    """Change a comment on a space, resolve it, or react to it."""
    return commenting.update(call, comment, body)


@space_comments.operation(f"DELETE {COMMENT.path}", needs=member("comment"), status=205)
def delete_comment_in_space(call: Call, comment: CommentRow | None) -> None:
    """Delete a comment on a space, with its replies."""
    commenting.remove(call, comment)


@space_comments.list(f"GET {REPLY.collection}", REPLY, needs=member("read"))
def list_comment_replies_in_space(call: Call, comment: CommentRow, query: RepliesQuery) -> RowsOf:
    """List the replies to a comment on a space, the first ones first."""
    return commenting.listed_replies(REPLY, comment, query)


@space_comments.operation(f"POST {REPLY.collection}", REPLY, needs=member("comment"))
def post_comment_reply_in_space(call: Call, comment: CommentRow, body: PostReply) -> CommentReplyRow:
    """Reply to a comment on a space."""
    return commenting.reply_to(call, comment, body.body)


@space_comments.operation(f"GET {REPLY.path}", CommentReply, needs=member("read"))
def get_comment_reply_in_space(call: Call, comment_reply: CommentReplyRow, query: FormatQuery) -> CommentReply:
    """Get a reply to a comment on a space."""
    return commenting.shown_reply(call, comment_reply, query.format)


@space_comments.operation(f"PUT {REPLY.path}", REPLY, needs=member("comment"))
def update_comment_reply_in_space(call: Call, comment_reply: CommentReplyRow, body: UpdateReply) -> CommentReplyRow:
    """Change a reply to a comment on a space, or react to it."""
    return commenting.update_reply(call, comment_reply, body)


@space_comments.operation(f"DELETE {REPLY.path}", needs=member("comment"), status=205)
def delete_comment_reply_in_space(call: Call, comment_reply: CommentReplyRow | None) -> None:
    """Delete a reply to a comment on a space."""
    commenting.remove(call, comment_reply)


@space_comments.list(f"GET {SPACE.path}/commenters", MEMBER, needs=member("read"))
def list_commenters_in_space(call: Call, space: SpaceRow) -> Conditions:
    """List the members who commented on a space."""
    return stored.commenters(space.organization_id, space.id)
