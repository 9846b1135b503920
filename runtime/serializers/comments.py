"""Comments and their replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.comments import (
    Comment,
    CommentPermissions,
    CommentReply,
    CommentUrls,
    DocumentText,
    EmojiReaction,
    MarkdownText,
    ReactionOf,
    ShownBody,
)
from runtime.contract.computing import JsonDocument
from runtime.contract.organizations import Role, User
from runtime.contract.permissions import comment_permissions
from runtime.serializers import people
from runtime.serializers.comment_targets import targets
from runtime.serializers.view import View
from runtime.store import comments as stored
from runtime.store.tables.comments import CommentReplyRow, CommentRow
from runtime.store.tables.organizations import UserRow
from runtime.store.tables.spaces import SpaceRow

Written = CommentRow | CommentReplyRow


def comments(view: View, rows: Sequence[CommentRow], *, markdown: bool = False) -> list[Comment]:
    """Show comments, each with what the actor may do with it; as documents, or as Markdown."""
    about = _About(view, rows, {row.resolved_by_id for row in rows if row.resolved_by_id is not None})
    replies = stored.reply_counts(view.session, [row.id for row in rows])
    return [
        Comment(
            **about.of(row, markdown=markdown),
            replies=replies.get(row.id, 0),
            target=target,
            urls=CommentUrls(location=view.at.api(*_place(row), "comments", row.id)),
            status="resolved" if row.resolved_by_id is not None else "open",
            resolved_at=row.resolved_at if row.resolved_by_id is not None and row.resolved_at is not None else MISSING,
            resolved_by=about.people[row.resolved_by_id] if row.resolved_by_id is not None else MISSING,
        )
        for row, target in zip(rows, targets(view, rows, about.spaces), strict=True)
    ]


def replies(view: View, rows: Sequence[CommentReplyRow], *, markdown: bool = False) -> list[CommentReply]:
    """Show replies, each with what the actor may do with it; as documents, or as Markdown."""
    about = _About(view, rows, set())
    comments_ = view.at_hand(CommentRow, {row.comment_id for row in rows})
    return [
        CommentReply(
            **about.of(row, markdown=markdown),
            urls=CommentUrls(
                location=view.at.api(*_place(comments_[row.comment_id]), "comments", row.comment_id, "replies", row.id)
            ),
        )
        for row in rows
    ]


def _place(row: CommentRow) -> list[str]:
    inside = ["change-requests", row.change_request_id] if row.change_request_id is not None else []
    return ["spaces", row.space_id, *inside]


class _About:
    """What comments and replies have in common: who wrote them and reacted, and what the actor may do."""

    def __init__(self, view: View, rows: Sequence[Written], others: set[str]) -> None:
        reactions = stored.reactions(view.session, [row.id for row in rows])
        users = view.by_id(UserRow, others | {row.user_id for row in (*rows, *reactions)})
        self.people: Mapping[str, User] = dict(zip(users, people.users(view, [*users.values()]), strict=True))
        self.spaces = view.at_hand(SpaceRow, {row.space_id for row in rows})
        levels = view.levels([*self.spaces.values()])
        self._levels: Mapping[str, Role | None] = dict(zip(self.spaces, levels, strict=True))
        self._actor = view.reach.user_id
        self._reactions: dict[str, dict[str, list[ReactionOf]]] = {}
        for one in reactions:
            reaction = ReactionOf(user=self.people[one.user_id], reacted_at=one.reacted_at)
            self._reactions.setdefault(one.on_id, {}).setdefault(one.emoji, []).append(reaction)

    def of(self, row: Written, *, markdown: bool) -> dict[str, Any]:
        allowed = comment_permissions(self._levels[row.space_id], own=row.user_id == self._actor)
        return {
            "id": row.id,
            "posted_by": self.people[row.user_id],
            "posted_at": row.posted_at,
            "edited_at": row.edited_at or MISSING,
            "reactions": [
                EmojiReaction(emoji=emoji, count=len(users), users=users)
                for emoji, users in self._reactions.get(row.id, {}).items()
            ],
            "body": _body(row, markdown=markdown),
            "permissions": CommentPermissions(**allowed),
        }


def _body(row: Written, *, markdown: bool) -> ShownBody:
    if markdown:
        return MarkdownText(markdown=row.markdown)
    data, nodes = row.document.get("data", {}), row.document.get("nodes", [])
    return DocumentText(document=JsonDocument(data=data, nodes=nodes))
