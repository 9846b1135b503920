"""Revisions of spaces, and the pieces that they share."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.decides import NOT_KEPT, Decides
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow


class RevisionRow(Table):
    """A state of a space's content, for good: lists of the names of pieces (`runtime/store/content/pieces.py`).

    `merged_from` is the change request that a merge came from.
    """

    __tablename__ = "revisions"
    __table_args__ = (Index("revisions_of_space", "space_id", "created_at", "id"),)
    decides: ClassVar[Decides | None] = NOT_KEPT

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
        """Whoever sees the space."""
        return cls.space_id.in_(select(SpaceRow.id).where(SpaceRow.visible_to(reach)))


class ContentPieceRow(Table):
    """A piece of a list, or a document; `name` is made of its content, `content` is compressed JSON."""

    __tablename__ = "content_pieces"
    decides: ClassVar[Decides | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[bytes] = mapped_column(LargeBinary(20), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
