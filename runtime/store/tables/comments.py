"""Comments on spaces and change requests, their replies, and who reacted to them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, String, Text, false, select
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow


class SeenWithSpace:
    """Mixin for tables of what is said in a space; must precede `Table`."""

    if TYPE_CHECKING:
        space_id: Any

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Whoever sees the space, except for visitors: people talk among themselves."""
        if reach.kind == "visitor":
            return false()
        seen: ColumnElement[bool] = cls.space_id.in_(select(SpaceRow.id).where(SpaceRow.visible_to(reach)))
        return seen


class CommentRow(SeenWithSpace, Table):
    """A comment: `place_id` is the change request it is on, or the space where it is on none.

    `review_id` is the review that it came with. `page` holds what a page was called and where it was when it was
    commented on, `document_id` what it said then, and `node_digest` what the node or the cell said. A thread that
    somebody resolved is resolved; if that person is gone for good, it is open again. What was written is kept in both
    forms, so that a list converts nothing.
    """

    __tablename__ = "comments"
    __table_args__ = (
        Index("comments_of_place", "place_id", "posted_at", "id"),
        Index("comments_of_space", "space_id"),
        Index("comments_of_change_request", "change_request_id"),
        Index("comments_of_user", "user_id"),
        Index("comments_of_resolver", "resolved_by_id"),
        Index("comments_of_review", "review_id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    place_id: Mapped[str] = mapped_column(String(20))
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    change_request_id: Mapped[str | None] = mapped_column(ForeignKey("change_requests.id", ondelete="CASCADE"))
    review_id: Mapped[str | None] = mapped_column(String(20))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    revision_id: Mapped[str] = mapped_column(String(20))
    page_id: Mapped[str | None] = mapped_column(String(100))
    node_id: Mapped[str | None] = mapped_column(String(100))
    record_id: Mapped[str | None] = mapped_column(String(100))
    definition_id: Mapped[str | None] = mapped_column(String(100))
    document_id: Mapped[str | None] = mapped_column(String(40))
    node_digest: Mapped[str | None] = mapped_column(String(40))
    posted_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    edited_at: Mapped[datetime | None] = mapped_column(UtcTime)
    resolved_at: Mapped[datetime | None] = mapped_column(UtcTime)
    resolved_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    node_preview: Mapped[str | None] = mapped_column(Text)
    page: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    markdown: Mapped[str] = mapped_column(Text)


Index(
    "comments_open",
    CommentRow.place_id,
    sqlite_where=CommentRow.resolved_by_id.is_(None),
    postgresql_where=CommentRow.resolved_by_id.is_(None),
)


class CommentReplyRow(SeenWithSpace, Table):
    """A reply to a comment; it goes with it."""

    __tablename__ = "comment_replies"
    __table_args__ = (
        Index("replies_of_comment", "comment_id", "posted_at", "id"),
        Index("replies_of_space", "space_id"),
        Index("replies_of_user", "user_id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    comment_id: Mapped[str] = mapped_column(ForeignKey("comments.id", ondelete="CASCADE"))
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    posted_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    edited_at: Mapped[datetime | None] = mapped_column(UtcTime)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    markdown: Mapped[str] = mapped_column(Text)


class CommentReactionRow(Table):
    """One reaction of one person to a comment or a reply, whose id is `on_id`: a row of its own, so none is lost."""

    __tablename__ = "comment_reactions"
    __table_args__ = (
        Index("reactions_of_comment", "comment_id"),
        Index("reactions_of_reply", "reply_id"),
        Index("reactions_of_user", "user_id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    on_id: Mapped[str] = mapped_column(String(20), primary_key=True)
    emoji: Mapped[str] = mapped_column(String(100), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    comment_id: Mapped[str] = mapped_column(ForeignKey("comments.id", ondelete="CASCADE"))
    reply_id: Mapped[str | None] = mapped_column(ForeignKey("comment_replies.id", ondelete="CASCADE"))
    reacted_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
