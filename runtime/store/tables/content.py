"""Revisions of spaces, and the pieces that they share."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Select,
    String,
    and_,
    bindparam,
    exists,
    or_,
    select,
)
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.spaces import SpaceRow

READING = timedelta(minutes=15)
"""How long visitors may go on reading what a space says no more: as long as their tokens last."""


def previewed(reach: Reach) -> Select[str]:
    """Select the revision of the change request that a visitor was let preview."""
    return select(ChangeRequestRow.revision_id).where(ChangeRequestRow.id == reach.preview)


class RevisionRow(Table):
    """A state of a space's content, for good: lists of the names of pieces (`runtime/store/content/pieces.py`).

    `merged_from` is the change request that a merge came from.
    """

    __tablename__ = "revisions"
    __table_args__ = (Index("revisions_of_space", "space_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    type: Mapped[str] = mapped_column(String(10), default="edits")
    parents: Mapped[list[str]] = mapped_column(JSON, default=list)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    pages: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    files: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    reusable_contents: Mapped[bytes] = mapped_column(LargeBinary, default=b"")
    variables: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    git: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    merged_from: Mapped[str | None] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Whoever sees the space. Visitors see what it says, and what they were let preview.

        What it said before they see while one who began to read may still be reading.
        """
        seen = cls.space_id.in_(select(SpaceRow.id).where(SpaceRow.visible_to(reach)))
        if reach.kind != "visitor":
            return seen
        # The time of when it is asked: statements are kept.
        lately = bindparam(None, callable_=lambda: now() - READING, type_=UtcTime, unique=True)
        just_now = SpaceRow.revised_at > lately
        of_space = SpaceRow.id == cls.space_id
        shown = exists().where(of_space, SpaceRow.revision_id == cls.id)
        shown_before = exists().where(of_space, SpaceRow.previous_id == cls.id, just_now)
        return and_(seen, or_(shown, shown_before, cls.id == reach.preview, cls.id.in_(previewed(reach))))


class ContentPieceRow(Table):
    """A piece of a list, or a document; `name` is made of its content, `content` is compressed JSON."""

    __tablename__ = "content_pieces"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[bytes] = mapped_column(LargeBinary(20), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ContentSizeRow(Table):
    """How many bytes a space has, as they are stored: its content, its files, and what is said about it.

    Content is pieces, the references of documents, and variables; said about it are comments and descriptions. People
    who may only comment write these: they never use up what a space may have of content.
    """

    __tablename__ = "content_sizes"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    files: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    comments: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")


class DocumentReferencesRow(Table):
    """What a document refers to, and the anchors in it: kept beside it, since links are looked for in all of a space.

    `name` is the document's; one without references and anchors has no row. `size` is what was counted, in bytes.
    """

    __tablename__ = "document_references"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[bytes] = mapped_column(LargeBinary(20), primary_key=True)
    found: Mapped[dict[str, Any]] = mapped_column(JSON)
    size: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
